import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import SecureEnclave

/// A machine of a circle: an enclave behind its channel, a user who knows the passcode, and a daemon that writes a log.
final class CircleMachine {
    static let passcode = "1234"

    let served: ServedEnclave
    let user = TestUser()
    private var seq: UInt64 = 0
    private var previous = BatchHash.none

    var connection: EnclaveConnection { served.connection }

    /// Has the enclave sign statements as if it had made them itself.
    func claim(_ statements: [SyncStatement]) throws {
        let author = try served.enclave.circleRecord().own.id
        served.enclave.stated.withLock { $0.add(statements, by: author) }
    }

    /// - Parameter passcode: nil for a keychain without one.
    init(passcode: String? = CircleMachine.passcode) throws {
        served = try ServedEnclave(user: user)
        if let passcode { try connection.setPasscode(try TestDevice.passcode(passcode)) }
    }

    // MARK: - With the user's consent

    static var question: CircleQuestion { CircleQuestion(context: .test(), prompt: Prompt(reason: "a test")) }

    func enter(_ circle: CircleID? = nil) throws -> CircleState {
        user.will(.passcode(Self.passcode))
        return try connection.enterCircle(circle, name: "first", asking: Self.question, by: soon)
    }

    func add(_ other: CircleMachine, name: String = "laptop") throws -> [SyncStatement] {
        user.will(.passcode(Self.passcode))
        return try connection.addMachine(try other.state.keys, name: name, asking: Self.question, by: soon)
    }

    func remove(_ other: MemberID, keeping kept: [MemberID] = []) throws -> [SyncStatement] {
        user.will(.passcode(Self.passcode))
        return try connection.removeMachine(other, keeping: kept, asking: Self.question, by: soon)
    }

    /// A removal without its question.
    func removeUnasked(_ other: MemberID) -> Refusal? {
        do throws(Refusal) {
            try served.enclave.changeCircle { (record) throws(Refusal) in
                record.remove(other, kept: [], by: record.own.id)
            }
            return nil
        } catch { return error }
    }

    // MARK: - Its log

    var state: CircleState { get throws { try #require(try connection.circle()) } }
    var id: MemberID { get throws { try state.keys.identifier() } }

    /// The header of the next batch.
    func header(_ generation: GenerationID = .none) throws -> SyncHeader {
        SyncHeader(
            circle: try state.circle, device: try id, seq: seq + 1, previous: previous, generation: generation,
            salt: BatchHash(Randomness.bytes(BatchHash.size)))
    }

    /// Seals a content for a batch with these statements.
    func seal(_ text: String, _ header: SyncHeader, _ statements: [SyncStatement] = []) throws -> [UInt8] {
        let content = SecretBytes(copying: Array(text.utf8).span)
        let size = content.count + CircleBox.overhead
        return try connection.sealContent(
            content, header: SyncBatch.associated(header, statements, sealedSize: size))
    }

    /// Signs a batch, without publishing it.
    func sign(_ header: SyncHeader, _ statements: [SyncStatement], sealed: [UInt8] = []) throws -> SyncBatch {
        let hash = try BatchHash(sha256: sealed.span)
        return try SyncBatch(header, statements, sealed: sealed, sealedHash: hash) { signed in
            let head = Array(signed.dropFirst("keychain sync 1: batch".utf8.count).dropLast(BatchHash.size))
            return try connection.signBatch(head: head, sealedHash: hash)
        }
    }

    /// The next batch of the log; this machine's enclave takes it as all others do.
    @discardableResult
    func publish(
        _ statements: [SyncStatement], _ text: String? = nil, under generation: GenerationID = .none
    ) throws -> SyncBatch {
        let header = try header(text == nil ? .none : generation)
        let sealed = try text.map { try seal($0, header, statements) } ?? []
        let batch = try sign(header, statements, sealed: sealed)
        try proceed(to: batch)
        try take(batch)
        return batch
    }

    /// Goes on behind a batch, which is published.
    func proceed(to batch: SyncBatch) throws {
        (seq, previous) = (batch.header.seq, try BatchHash(sha256: batch.signed.span))
    }

    func take(_ batch: SyncBatch) throws { try connection.takeBatch(batch.carried) }

    /// The sealed content of a batch, as this machine reads it.
    func read(_ batch: SyncBatch) throws -> String {
        let sealed = try #require(batch.sealed)
        let content = try connection.openContent(sealed, header: batch.associated)
        return content.withSpan { $0.text(0, $0.count) ?? "" }
    }
}

extension CircleState {
    /// The statement that began the circle; nil on a machine that has not begun it.
    var genesis: SyncStatement? { random.map { .genesis(keys, random: $0) } }
}

/// A circle of machines that have read one another's logs.
struct TestCircle {
    let machines: [CircleMachine]
    let current: GenerationID
    private(set) var batches: [SyncBatch] = []

    /// The first machine begins the circle and adds the others.
    init(_ count: Int) throws {
        let first = try CircleMachine()
        let state = try first.enter()
        let generation = try first.connection.makeGeneration()
        guard case .generation(let made) = generation else { throw SystemError(code: 0, call: "generation") }
        current = made.id
        let genesis = try #require(state.genesis)
        batches.append(try first.publish([genesis, generation], "first", under: made.id))
        var machines = [first]
        for number in 1..<max(1, count) {
            let machine = try CircleMachine()
            _ = try machine.enter(state.circle)
            batches.append(try first.publish(try first.add(machine, name: "machine \(number)")))
            let share = try first.connection.shareGeneration(made.id, with: [try machine.id])
            batches.append(try first.publish([share]))
            machines.append(machine)
        }
        self.machines = machines
        for machine in machines { for batch in batches { try machine.take(batch) } }
    }

    /// Has all machines take a batch.
    func deliver(_ batch: SyncBatch) throws { for machine in machines { try machine.take(batch) } }
}

/// One record in a call that takes many.
extension EnclaveCircleService {
    func recordID(itemClass: UInt8, primaryKey: SecretBytes) throws -> RecordID? {
        try recordIDs([RecordNaming(itemClass: itemClass, primaryKey: primaryKey)]).first
    }
}
