package import KeychainClient
import KeychainEngine
package import KeychainModel
package import KeychainPolicy
import KeychainStore
package import KeychainWire
package import LinuxSystem
import SecureEnclave
import Synchronization

/// The whole keychain inside the calling process: the engine and the software enclave, over files that several processes may
/// use at once.
///
/// It behaves as a connection to a daemon does; what it cannot do is keep the program that carries it from reading its memory.
package final class EmbeddedKeychain: KeychainConnection {
    private let engine: KeychainEngine
    package let caller: CallerIdentity
    private let lanes = Mutex<[Lane]>([])

    /// A lane is used by one thread at a time: it is in the pool or with the thread that took it.
    private struct Lane: @unchecked Sendable {
        let lane: EngineLane
    }

    /// Opens, or makes, the keychain in `folder`, with the software enclave whose vault lies there too.
    ///
    /// - Parameter caller: whom the engine takes the program for.
    /// - Throws: `errSecNotAvailable` when a daemon owns the store, or store or vault cannot be opened.
    package convenience init(folder: String, caller: CallerIdentity = .thisProgram) throws(Refusal) {
        // The vault comes first: whoever finds a store must find the vault that opens it.
        let isNew = !ItemStore.exists(in: folder)
        let enclave = try SoftwareEnclave(vault: "\(folder)/vault", createIfMissing: isNew)
        try self.init(folder: folder, caller: caller, enclave: enclave)
    }

    /// Opens, or makes, the keychain in `folder`, with an enclave of the caller's.
    package init(
        folder: String, caller: CallerIdentity = .thisProgram, enclave: any EnclaveService
    ) throws(Refusal) {
        self.caller = caller
        let store = try ItemStore(folder: folder, prefersExclusive: false)
        engine = try KeychainEngine(store: store, enclave: enclave, deployment: "embedded")
    }

    private init(_ engine: KeychainEngine, _ caller: CallerIdentity) {
        self.engine = engine
        self.caller = caller
    }

    /// The same keychain as another program sees it.
    package func seen(by caller: CallerIdentity) -> EmbeddedKeychain { EmbeddedKeychain(engine, caller) }

    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        guard request.operation == .copyMatching else { return try write(request) }
        let lane = try take()
        defer { lanes.withLock { $0.append(lane) } }
        let writer = ResponseWriter()
        lane.lane.read(request, from: caller, id: 0, into: writer)
        let answer = writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        let writer = ResponseWriter()
        engine.device(request, passcodes: passcodes, id: 0, into: writer)
        let answer = writer.complete()
        return try DeviceReply(to: request, status: answer.status, body: answer.body)
    }

    private func write(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        let write = PendingWrite(request, from: caller, id: 0)
        engine.write([write])
        let answer = write.writer.complete()
        return try ItemResponse(status: answer.status, body: answer.body)
    }

    private func take() throws(Refusal) -> Lane {
        if let lane = lanes.withLock({ $0.popLast() }) { return lane }
        return Lane(lane: try engine.makeLane())
    }
}

extension CallerIdentity {
    /// The program this code runs in, as its executable names it.
    package static var thisProgram: CallerIdentity {
        let path = (try? ExecutableFile(ofProcess: CurrentProcess.identifier).path) ?? "unknown"
        return CallerIdentity(
            user: CurrentProcess.user, process: CurrentProcess.identifier, program: path,
            groups: [ownGroup(ofExecutable: path)])
    }
}
