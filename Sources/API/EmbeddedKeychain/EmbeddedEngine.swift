import Glibc
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// The engine in this process, with lanes for the threads that read.
///
/// Everything that uses the engine is a method here, so that whoever holds the only reference knows that nobody is inside:
/// a forked child may take leave only of an engine that no thread of its parent was using.
final class EmbeddedEngine: Sendable {
    private let engine: KeychainEngine
    private let lanes = LanePool()

    init(folder: String, enclave: any EnclaveService) throws(Refusal) {
        let store = try ItemStore(folder: folder, prefersExclusive: false)
        engine = try KeychainEngine(store: store, enclave: enclave, deployment: "embedded")
    }

    /// The thread that looks after the lanes may still be there.
    deinit { lanes.close() }

    func read(
        _ request: ItemRequest, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> ItemResponse {
        let lane = if let lane = lanes.take() { lane } else { LanePool.Lane(try engine.makeLane()) }
        lane.lane.read(request, from: caller, id: 0, by: deadline, into: lane.writer)
        let answer = lane.writer.complete()
        if lanes.putBack(lane) { lookAfterLanes() }
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    func write(
        _ request: ItemRequest, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> ItemResponse {
        let write = PendingWrite(request, from: caller, id: 0, by: deadline)
        engine.write([write])
        return try ItemResponse(write.writer)
    }

    func device(
        _ request: DeviceRequest, passcodes: [FileDescriptor], from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> DeviceReply {
        let writer = ResponseWriter()
        engine.device(request, passcodes: passcodes, from: caller, id: 0, by: deadline, into: writer)
        let answer = writer.complete()
        return try DeviceReply(to: request, status: answer.status, body: answer.body)
    }

    /// The number of the device's state; it outlives the engine.
    var stateEpoch: StateEpoch { engine.stateEpoch }

    func key(_ request: KeyRequest, from caller: CallerIdentity) throws(Refusal) -> KeyReply {
        if case .use(_, let use) = request { try use.checkSize() }
        let writer = ResponseWriter()
        engine.key(request, from: caller, id: 0, into: writer)
        let answer = writer.complete()
        return try KeyReply(to: request, status: answer.status, body: answer.body)
    }

    func authentication(
        _ request: AuthenticationRequest, password: FileDescriptor?, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> AuthenticationReply {
        if case .perform(.key(.use(_, let use)), _, _) = request { try use.checkSize() }
        let writer = ResponseWriter()
        engine.authentication(
            request, password: password, from: caller, Conversation(), id: 0, by: deadline, into: writer)
        let answer = writer.complete()
        return try AuthenticationReply(to: request, status: answer.status, body: answer.body)
    }

    /// Has what lanes hold of the store ended a moment after they were used last.
    ///
    /// The thread that does it is there only while something is held. The process is not forked while it is at it, so that a child
    /// never finds it inside. It knows only the lanes, so that a keychain that is closed does not wait for it.
    private func lookAfterLanes() {
        let looking = { @Sendable [lanes] in
            repeat { usleep(Self.moment) } while ForkBarrier.withoutForks { lanes.letGoOfUnused() }
        }
        if (try? LinuxSystem.Thread(named: "keychain-lanes", looking)) == nil { lanes.letGo() }
    }

    /// How long a lane that nobody uses may hold something, at least: microseconds.
    private static let moment: UInt32 = 100_000
}

extension ItemResponse {
    fileprivate init(_ writer: ResponseWriter) throws(Refusal) {
        let answer = writer.complete()
        try self.init(status: answer.status, body: answer.body)
    }
}
