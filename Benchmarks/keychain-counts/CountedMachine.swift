import EnclaveWire
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem
import SecureEnclave
import SyncFormat
import SyncService

/// The place that keeps the batches of a circle, in memory.
final class CountedPlace {
    fileprivate(set) var slots: [(slot: SyncSlot, bytes: [UInt8])] = []
    /// How many requests the daemons of the machines were asked.
    fileprivate(set) var requests = 0

    var bytes: Int { slots.reduce(0) { $0 + $1.bytes.count } }
}

/// A machine of a circle: a keychain with its enclave and its daemon's service, and a carrier without a process.
final class CountedMachine {
    private let engine: KeychainEngine
    private let service: CircleService
    private let place: CountedPlace
    private let name: String
    private static let passcode = "1234"
    private static let caller = CallerIdentity(
        user: 0, process: 0, program: "keychain-counts", groups: ["COUNTS.program"])

    /// A user who agrees to everything.
    private struct Consent: UserAgent {
        func biometry() throws(Refusal) -> BiometryStatus { .none }
        func withdraw(_ context: AuthenticationContext) {}
        func ask(_ question: UserQuestion, by deadline: Deadline) throws(Refusal) -> UserAnswer {
            .secret(SecretBytes(copying: Array(CountedMachine.passcode.utf8).span))
        }
    }

    init(_ name: String, in folder: String, _ place: CountedPlace) throws {
        (self.name, self.place) = (name, place)
        let own = "\(folder)/\(name)"
        let enclave = try SoftwareEnclave(
            vault: "\(own)/vault", createIfMissing: true, passcodeCost: .cheapest, userAgent: Consent())
        engine = try KeychainEngine(
            store: try ItemStore(folder: own, prefersExclusive: true), enclave: enclave, deployment: "counts")
        service = CircleService(engine, enclave, folder: own)
        try enclave.setPasscode(try PasscodeFile.make(SecretBytes(copying: Array(Self.passcode.utf8).span)))
    }

    /// Stores items for all machines, or changes those that are there.
    func write(_ accounts: [String], _ operation: ItemRequest.Operation) throws {
        let writes = try accounts.map { account in
            var builder = ItemRequestBuilder(operation)
            let query: [String: RawValue] = [
                "class": .string("genp"), "svce": .string("com.example.service"), "acct": .string(account),
                "sync": .boolean(true),
            ]
            for (key, value) in query { try builder.set(key, value) }
            let value = Array("a value of usual length, \(operation)".utf8)
            if operation == .add { try builder.set("v_Data", data: value.span) }
            if operation == .update { try builder.change("v_Data", data: value.span) }
            return PendingWrite(try builder.build(), from: Self.caller, id: 1, by: .never)
        }
        engine.write(writes)
        guard writes.allSatisfy({ $0.writer.complete().status == 0 }) else { throw CountsError("Nothing was written.") }
    }

    private func change(_ change: CircleChange) throws -> SyncStatus {
        let context = AuthenticationContext(
            identifier: Randomness.bytes(AuthenticationContext.identifierBytes),
            caller: Randomness.bytes(AuthenticationContext.callerBytes))
        let question = CircleQuestion(context: context, prompt: Prompt(reason: "a count"))
        guard let status = try service.change(change, asking: question, by: .never) else {
            throw CountsError("There is no circle.")
        }
        return status
    }

    /// Begins a circle.
    func begin() throws { _ = try change(.begin(place: "/nowhere", name: name)) }

    /// Brings another machine into the circle.
    func add(_ other: CountedMachine) throws {
        guard case .status(let status?) = try service.answer(.status, []) else {
            throw CountsError("There is no circle.")
        }
        let keys = try other.change(.join(status.circle, place: "/nowhere", name: other.name)).keys
        _ = try change(.add(keys, name: other.name))
    }

    private func answer(_ request: SyncRequest, _ files: [FileDescriptor] = []) throws -> SyncReply {
        place.requests += 1
        return try service.answer(request, files)
    }

    /// Takes to the place what the machine has to say.
    func send() throws {
        while true {
            let room = try PasscodeFile.makeRoom(SyncRequest.roomBytes)
            guard case .next(let sending?) = try answer(.next, [room]) else { return }
            let bytes = try PasscodeFile.read(room, limit: SyncRequest.roomBytes, deadline: .never)
            place.slots.append((sending.slot, bytes.withSpan { $0.array(0, Int(sending.size)) }))
            _ = try answer(.committed(sending.slot, isOccupied: false))
        }
    }

    /// Brings from the place what the machine has not read.
    func read() throws {
        guard case .positions(let positions) = try answer(.positions) else { throw CountsError("There is no circle.") }
        var view = SyncView()
        for (slot, bytes) in place.slots {
            view.ends[slot.device] = max(view.ends[slot.device] ?? 0, slot.seq)
            guard slot.seq > positions.heads[slot.device] ?? 0 else { continue }
            _ = try answer(.take(slot), [try PasscodeFile.make(SecretBytes(copying: bytes.span))])
        }
        _ = try answer(.seen(view))
    }
}
