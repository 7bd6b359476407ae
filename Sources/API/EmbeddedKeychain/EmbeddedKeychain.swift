package import KeychainClient
package import KeychainModel
package import KeychainPolicy
import KeychainStore
package import KeychainWire
package import LinuxSystem
import SecureEnclave

/// The whole keychain inside the calling process: the engine and the software enclave, over files that several processes may
/// use at once.
///
/// It behaves as a connection to a daemon does; what it cannot do is keep the program that carries it from reading its memory.
/// A forked child opens the files anew at its first call, locked if there is a passcode: the keys of its parent are not in its
/// memory, and SQLite's connections must not be carried across a fork.
package final class EmbeddedKeychain: KeychainConnection {
    private let engine: ProcessLocal<EmbeddedEngine?>
    private let open: @Sendable () throws(Refusal) -> EmbeddedEngine
    package let caller: CallerIdentity

    /// Opens, or makes, the keychain in `folder`, with the software enclave whose vault lies there too.
    ///
    /// - Parameter caller: whom the engine takes the program for.
    /// - Throws: `errSecNotAvailable` when a daemon owns the store, or store or vault cannot be opened.
    package convenience init(folder: String, caller: CallerIdentity = .thisProgram) throws(Refusal) {
        try self.init(folder: folder, caller: caller) { () throws(Refusal) in
            // The vault comes first: whoever finds a store must find the vault that opens it.
            try SoftwareEnclave(vault: "\(folder)/vault", createIfMissing: !ItemStore.exists(in: folder))
        }
    }

    /// Opens, or makes, the keychain in `folder`, with an enclave of the caller's.
    ///
    /// - Parameter enclave: makes the enclave; asked again in a forked child.
    package init(
        folder: String, caller: CallerIdentity = .thisProgram,
        enclave: @escaping @Sendable () throws(Refusal) -> any EnclaveService
    ) throws(Refusal) {
        self.caller = caller
        open = { () throws(Refusal) in try EmbeddedEngine(folder: folder, enclave: try enclave()) }
        engine = ProcessLocal(try open())
    }

    private init(_ other: EmbeddedKeychain, _ caller: CallerIdentity) {
        (engine, open) = (other.engine, other.open)
        self.caller = caller
    }

    /// The same keychain as another program sees it.
    package func seen(by caller: CallerIdentity) -> EmbeddedKeychain { EmbeddedKeychain(self, caller) }

    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        let engine = try current()
        guard request.operation == .copyMatching else { return try engine.write(request, from: caller) }
        return try engine.read(request, from: caller)
    }

    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        try current().device(request, passcodes: passcodes)
    }

    package func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { try current().key(request, from: caller) }

    private func current() throws(Refusal) -> EmbeddedEngine {
        try engine.withValue(inChild: reopen) { (engine) throws(Refusal) in
            guard let engine else { throw .forkedInUse }
            return engine
        }
    }

    /// The parent's connections go first: SQLite would take their locks for this process's own.
    private func reopen(_ engine: inout EmbeddedEngine?) throws(Refusal) {
        guard engine == nil || isKnownUniquelyReferenced(&engine) else { throw .forkedInUse }
        engine = nil
        engine = try open()
    }
}

extension Refusal {
    fileprivate static let forkedInUse = Refusal(
        .notAvailable, .unavailable, "process",
        "This process was forked while another thread of its parent was using the keychain.",
        do: "Start a program in the child (exec), or fork while no other thread uses the keychain.")
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
