import EnclaveWire
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainWire
import LinuxSystem

/// The engine in this process, with item readers for the threads that read.
///
/// Every use of the engine is a method here. The holder of the only reference therefore knows that no thread is inside.
/// A forked child may release an engine only if no thread of its parent was using it.
final class EmbeddedEngine: Sendable {
    private let engine: KeychainEngine
    /// The item readers that no thread is using, each with where it writes answers.
    private let idleReaders = Lock<[IdleReader]>([])

    /// Used by one thread at a time: it is among the free ones or with the thread that took it.
    private final class IdleReader: @unchecked Sendable {
        let itemReader: ItemReader
        private(set) var writer = ResponseWriter()

        init(_ itemReader: ItemReader) { self.itemReader = itemReader }

        /// One large answer is no reason to keep its room for ever.
        func tidyUp() {
            if writer.buffer.count > Self.keptRoom { writer = ResponseWriter() }
            writer.buffer.removeAll()
        }

        private static let keptRoom = 64 << 10
    }

    /// - Parameters:
    ///   - circle: makes what answers requests about a circle; nil where the keychain can be in none.
    ///   - deadline: until when another program that brings the store up to date is waited for.
    ///   - patience: for how long any other, before it is said to own the store: milliseconds.
    init(
        folder: String, enclave: any EnclaveService, circle: EmbeddedKeychain.CircleMaking?, by deadline: Deadline,
        patience: Int
    ) throws(Refusal) {
        let store = try ItemStore(folder: folder, prefersExclusive: false, by: deadline, timeout: patience)
        engine = try KeychainEngine(
            store: store, enclave: enclave, deployment: "embedded",
            history: HistoryLimits(days: try Configuration.loadHistoryDays()))
        if let circle { engine.serve(circle(engine, enclave)) }
    }

    /// Engine and circle keep each other.
    deinit { engine.serve(nil) }

    /// Whether nobody has closed or reused the descriptors of the store.
    var hasItsDescriptors: Bool {
        engine.hasItsDescriptors && idleReaders.withLock { $0.allSatisfy { $0.itemReader.hasItsDescriptors } }
    }

    func read(
        _ request: ItemRequest, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> ItemResponse {
        let itemReader =
            if let free = idleReaders.withLock({ $0.popLast() }) { free } else {
                IdleReader(try engine.makeItemReader())
            }
        if let failure = engine.failureOfUse(by: itemReader.itemReader) { throw failure }
        itemReader.itemReader.read(request, from: caller, id: 0, by: deadline, into: itemReader.writer)
        let answer = itemReader.writer.complete()
        itemReader.tidyUp()
        idleReaders.withLock { $0.append(itemReader) }
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    func write(
        _ request: ItemRequest, from caller: CallerIdentity, by deadline: Deadline
    ) throws(Refusal) -> ItemResponse {
        let write = PendingWrite(request, from: caller, id: 0, by: deadline)
        engine.write([write])
        engine.checkpointIfDue()
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

    /// The number of the changes of items, and its value; the number outlives the engine.
    func groupEpochNow() -> (StateEpoch, UInt32) { (engine.groupEpoch, engine.groupEpoch.value) }

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
            request, password: password, from: caller, PromptCancellation(), id: 0, by: deadline, into: writer)
        let answer = writer.complete()
        return try AuthenticationReply(to: request, status: answer.status, body: answer.body)
    }
}

extension ItemResponse {
    fileprivate init(_ writer: ResponseWriter) throws(Refusal) {
        let answer = writer.complete()
        try self.init(status: answer.status, body: answer.body)
    }
}
