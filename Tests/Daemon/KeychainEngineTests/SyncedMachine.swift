import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncService
import SyncTransports
import TestSupport

@testable import KeychainEngine
@testable import KeychainStore
@testable import SecureEnclave

/// A user who knows the passcode, and agrees to everything. Digits stay in sight until they are withdrawn. A test can
/// do something while the user is asked.
final class ConsentingUser: UserAgent {
    static let passcode = "1234"
    let meanwhile = Lock<(@Sendable () -> Void)?>(nil)

    private struct State {
        var questions: [UserQuestion] = []
        var withdrawn: [AuthenticationContext] = []
        var digits: String?
    }

    private let state = Monitor(State())

    var questions: [UserQuestion] { state.update { $0.questions } }
    var kinds: [UserQuestion.Kind] { questions.map(\.kind) }

    /// The digits that were shown; waits for them.
    var shownDigits: String {
        state.wait(deadline: soon) { $0.questions.last { $0.kind == .shownDigits }?.digits } ?? ""
    }

    /// The code of a recovery key that was shown last.
    var shownCode: String { questions.last { $0.kind == .shownCode }?.digits ?? "" }

    /// Enters digits or a code when it is asked for them, or has been.
    func enter(_ digits: String) { state.update { $0.digits = digits } }

    func biometry() throws(Refusal) -> BiometryStatus { .none }
    func withdraw(_ context: AuthenticationContext) { state.update { $0.withdrawn.append(context) } }

    func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
        state.update { $0.questions.append(question) }
        let work = meanwhile.withLock { work in
            defer { work = nil }
            return work
        }
        work?()
        if question.kind == .shownCode { return .seen }
        let entered: String?? =
            switch question.kind {
            case .shownDigits: wait(question, deadline) { _ in nil }
            case .digits, .code: wait(question, deadline) { $0.digits }
            default: Self.passcode
            }
        guard let entered else { return .timedOut }
        return entered.map { .secret(SecretBytes(copying: Array($0.utf8).span)) } ?? .withdrawn
    }

    /// The end of a question; nil inside for a question that was withdrawn.
    private func wait(
        _ question: UserQuestion, _ deadline: Deadline, _ answer: (State) -> String?
    ) -> String?? {
        state.wait(deadline: deadline) { state -> String?? in
            if let answer = answer(state) { return .some(.some(answer)) }
            return state.withdrawn.contains(question.context) ? .some(.none) : nil
        }
    }
}

/// A machine of a circle: a real keychain with its real enclave and the service of its daemon. A test plays the
/// carrier, over a real folder.
final class SyncedMachine {
    let directory: TemporaryDirectory
    let user = ConsentingUser()
    private(set) var keychain: WritePathKeychain
    private(set) var service: CircleService
    let name: String
    private let batches: UInt64

    var engine: TestEngine { keychain.engine }

    /// - Parameter batches: after how many batches of its own the machine makes a snapshot.
    init(_ name: String, snapshotAfter batches: UInt64 = CircleService.batchesOfSnapshot) throws {
        (self.name, self.batches) = (name, batches)
        directory = try TemporaryDirectory()
        keychain = try WritePathKeychain(in: directory, user: user)
        service = CircleService(
            keychain.engine.engine, keychain.engine.enclave, folder: keychain.engine.folder, snapshotAfter: batches)
        try keychain.engine.enclave.setPasscode(try Self.passcode)
    }

    /// A machine with a copy of another's disk.
    init(copyOf other: SyncedMachine) throws {
        (name, batches) = ("copy", other.batches)
        directory = try TemporaryDirectory()
        try other.engine.engine.withStoreWriter { (writer) throws(Refusal) in try writer.checkpoint() }
        let folder = directory.path + "/keychain"
        guard unsafe mkdir(folder, 0o700) == 0 else { throw SystemError(code: errno, call: "mkdir") }
        for entry in try FolderEntries.names(in: other.engine.folder) {
            guard let bytes = try? AtomicFile.read("\(other.engine.folder)/\(entry)", limit: 1 << 26) else { continue }
            try AtomicFile.replace("\(folder)/\(entry)", with: bytes.span)
        }
        keychain = try WritePathKeychain(in: directory, user: user)
        service = CircleService(keychain.engine.engine, keychain.engine.enclave, folder: folder)
        try unlock()
    }

    private static var passcode: FileDescriptor {
        get throws { try PasscodeFile.make(SecretBytes(copying: Array(ConsentingUser.passcode.utf8).span)) }
    }

    /// Daemon and enclave are ended and started again: all that is left is on the disk.
    func restart() throws {
        keychain = try WritePathKeychain(in: directory, user: user)
        service = CircleService(
            keychain.engine.engine, keychain.engine.enclave, folder: keychain.engine.folder, snapshotAfter: batches)
        try unlock()
    }

    func lock() throws { try engine.enclave.lock() }
    func unlock() throws { try engine.enclave.unlock(passcode: try Self.passcode) }

    // MARK: - As the command

    static var question: CircleQuestion {
        let caller = [UInt8](repeating: 1, count: AuthenticationContext.callerBytes)
        return CircleQuestion(context: .fresh(for: caller), prompt: Prompt(reason: "a test"))
    }

    @discardableResult
    func change(_ change: CircleChange) throws -> SyncStatus? {
        try service.change(change, asking: Self.question, by: soon)
    }

    var status: SyncStatus {
        get throws {
            guard case .status(let status?) = try service.answer(.status, []) else { throw Refusal.malformed("status") }
            return status
        }
    }

    func flags(of member: MemberID) throws -> SyncStatus.Machine.Flags? {
        try status.machines.first { $0.id == member }?.flags
    }

    // MARK: - In wrong hands

    /// A batch that the machine's enclave signs although it made none of the statements, or nothing came before it.
    func signed(
        _ statements: [SyncStatement], seq: UInt64, after previous: BatchHash
    ) throws -> (slot: SyncSlot, bytes: [UInt8]) {
        let (enclave, status, nothing) = (engine.enclave, try self.status, [UInt8]())
        let header = SyncHeader(
            circle: status.circle, device: status.me, seq: seq, previous: previous, generation: .none,
            salt: BatchHash(Randomness.bytes(BatchHash.size)))
        enclave.stated.withLock { $0.add(statements, by: status.me) }
        let hash = try BatchHash(sha256: nothing.span)
        let batch = try SyncBatch(header, statements, sealed: [], sealedHash: hash) { signed in
            let head = Array(signed.dropFirst(SyncBatch.domain.count).dropLast(BatchHash.size))
            return try enclave.signBatch(head: head, sealedHash: hash)
        }
        guard let bytes = batch.bytes else { throw Refusal.malformed("the batch") }
        return (batch.slot, bytes)
    }

    // MARK: - As the carrier

    var positions: SyncPositions {
        get throws {
            guard case .positions(let found) = try service.answer(.positions, []) else {
                throw Refusal.malformed("the positions")
            }
            return found
        }
    }

    func take(_ bytes: [UInt8], in slot: SyncSlot) throws -> SyncVerdict {
        let file = try PasscodeFile.make(SecretBytes(copying: bytes.span))
        guard case .taken(let verdict) = try service.answer(.take(slot), [file]) else {
            throw Refusal.malformed("the verdict")
        }
        return verdict
    }

    func next() throws -> (slot: SyncSlot, bytes: [UInt8])? {
        let room = try PasscodeFile.makeRoom(SyncRequest.roomBytes)
        guard case .next(let sending) = try service.answer(.next, [room]) else { throw Refusal.malformed("the slot") }
        guard let sending else { return nil }
        let bytes = try PasscodeFile.read(room, limit: SyncRequest.roomBytes, deadline: soon)
        return (sending.slot, bytes.withSpan { $0.array(0, Int(sending.size)) })
    }

    func commit(_ slot: SyncSlot, _ commitment: Commitment) throws {
        switch commitment {
        case .done: _ = try service.answer(.committed(slot, isOccupied: false), [])
        case .occupied(let theirs):
            let bytes = theirs ?? []
            let file = try PasscodeFile.make(SecretBytes(copying: bytes.span))
            _ = try service.answer(.committed(slot, isOccupied: true), [file])
        }
    }

    /// Gives all that the folder has and this machine has not read, and the parts of snapshots that it wants.
    ///
    /// - Parameter bring: the content of a part's slot.
    func pull(
        _ folder: FolderTransport, parts bring: (_ folder: FolderTransport, _ slot: SyncSlot) throws -> [UInt8]? = read
    ) throws {
        var (wanted, brings) = (try positions.wanted, true)
        while brings {
            var taken = 0
            for slot in wanted {
                if let bytes = try bring(folder, slot), try take(bytes, in: slot) != .refused { taken += 1 }
            }
            try look(folder)
            let next = try positions.wanted
            brings = next != wanted && (wanted.isEmpty || taken > 0)
            wanted = next
        }
    }

    /// Ends a look in which what was taken has come.
    func saw(_ folder: FolderTransport) throws {
        var view = SyncView()
        view.ends = try folder.changes(after: [:], atMost: .max).ends
        _ = try service.answer(.seen(view), [])
    }

    static func read(_ folder: FolderTransport, _ slot: SyncSlot) throws -> [UInt8]? { try folder.read(slot) }

    private func look(_ folder: FolderTransport) throws {
        var (heads, view) = (try positions.heads, SyncView())
        var isComplete = false
        while !isComplete {
            let changes = try folder.changes(after: heads, atMost: 1 << 20)
            for (slot, bytes) in changes.batches {
                _ = try take(bytes, in: slot)
                heads[slot.device] = max(heads[slot.device] ?? 0, slot.seq)
            }
            (view.ends, view.unreadable, isComplete) = (changes.ends, changes.unreadable, changes.isComplete)
        }
        _ = try service.answer(.seen(view), [])
    }

    func push(_ folder: FolderTransport) throws {
        while let (slot, bytes) = try next() { try commit(slot, try folder.commit(bytes, in: slot)) }
        let discarding = try positions.discarding
        guard !discarding.isEmpty else { return }
        try folder.discard(discarding)
        _ = try service.answer(.discarded(discarding), [])
    }
}

/// Machines in one circle, and the folder that they share.
final class SyncedMachines {
    let folder: TemporaryDirectory
    private(set) var machines: [SyncedMachine]
    let transport: FolderTransport

    var first: SyncedMachine { machines[0] }
    var second: SyncedMachine { machines[1] }

    /// - Parameters:
    ///   - batches: after how many batches of its own a machine makes a snapshot.
    ///   - prepare: what there is before they belong to the circle.
    init(
        _ count: Int = 2, snapshotAfter batches: UInt64 = CircleService.batchesOfSnapshot,
        _ prepare: (_ machines: [SyncedMachine]) throws -> Void = { _ in }
    ) throws {
        folder = try TemporaryDirectory()
        let first = try SyncedMachine("machine 0", snapshotAfter: batches)
        machines = [first]
        var newcomers: [SyncedMachine] = []
        for number in 1..<max(1, count) {
            newcomers.append(try SyncedMachine("machine \(number)", snapshotAfter: batches))
        }
        try prepare(machines + newcomers)
        let status = try first.change(.begin(place: folder.path, name: first.name))
        guard let circle = status?.circle else { throw Refusal.malformed("the circle") }
        transport = FolderTransport(folder.path, circle: circle)
        try transport.found()
        try exchange(1)
        for machine in newcomers { try add(machine) }
        try exchange()
    }

    /// Adds a machine, as its user does on both.
    func add(_ machine: SyncedMachine) throws {
        guard let status = try machine.change(.join(try first.status.circle, place: folder.path, name: machine.name))
        else { throw Refusal.malformed("the circle") }
        try first.change(.add(status.keys, name: machine.name))
        machines.append(machine)
    }

    /// A machine has paired with one of these.
    func joined(_ machine: SyncedMachine) { machines.append(machine) }

    /// All send and read, until each has read what the others have read.
    func exchange(_ rounds: Int = 3) throws {
        for _ in 0..<rounds {
            for machine in machines { try machine.push(transport) }
            for machine in machines { try machine.pull(transport) }
        }
    }

    /// Everything that the folder has.
    func slots() throws -> [(slot: SyncSlot, bytes: [UInt8])] {
        try transport.changes(after: [:], atMost: .max).batches
    }
}
