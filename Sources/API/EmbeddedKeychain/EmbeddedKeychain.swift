import CallerIdentification
package import EnclaveWire
package import KeychainClient
package import KeychainEngine
package import KeychainModel
package import KeychainPolicy
import KeychainStore
package import KeychainWire
package import LinuxSystem
import SecureEnclave

/// The whole keychain inside the calling process: the engine and the software enclave, over files that several
/// processes may use at once.
///
/// It behaves as a connection to a daemon does. It cannot keep its own program from reading the keychain's memory. A
/// forked child opens the files again at its first call, locked if there is a passcode: its memory does not have its
/// parent's keys, and SQLite's connections must not be carried across a fork.
package final class EmbeddedKeychain: KeychainConnection {
    /// Makes what answers requests about a circle of machines, for an engine and its enclave.
    package typealias CircleMaking = @Sendable (KeychainEngine, any EnclaveService) -> any CircleOperations

    private let engine: ProcessLocal<EmbeddedEngine?>
    private let open: @Sendable (_ patience: Int) throws(Refusal) -> EmbeddedEngine
    package let caller: CallerIdentity
    /// How long a request may take: milliseconds.
    private let timeout: UInt32

    /// Opens, or makes, the keychain in `folder`, with the software enclave whose vault lies there too.
    ///
    /// - Parameters:
    ///   - caller: the identity that the engine gives the program; nil for the one that a daemon would give it.
    ///   - timeout: how long a request may take: milliseconds.
    ///   - patience: how long to wait for a process that opens or owns the store: milliseconds.
    /// - Throws: `errSecNotAvailable` when a daemon owns the store, or store or vault cannot be opened; what a daemon
    ///   would refuse the program with.
    package convenience init(
        folder: String, caller: CallerIdentity? = nil, timeout: UInt32 = WireLimits.defaultDeadline,
        patience: Int = ItemStore.timeout
    ) throws(Refusal) {
        try self.init(folder: folder, caller: caller, timeout: timeout, patience: patience) { () throws(Refusal) in
            // The vault comes first: a process that finds a store must also find the vault that opens it.
            try SoftwareEnclave(
                vault: "\(folder)/vault", createIfMissing: !ItemStore.exists(in: folder), userAgent: InstalledAgent(),
                acceptsLoginPassword: try Configuration.loadLoginPassword() == .yes, policy: try .load())
        }
    }

    /// Opens, or makes, the keychain in `folder`, with an enclave of the caller's.
    ///
    /// - Parameters:
    ///   - timeout: how long a request may take: milliseconds.
    ///   - patience: how long to wait for a process that opens or owns the store: milliseconds.
    ///   - circle: makes what answers requests about a circle of machines; nil where the keychain can be in none.
    ///   - enclave: makes the enclave; asked again in a forked child.
    package init(
        folder: String, caller: CallerIdentity? = nil, timeout: UInt32 = WireLimits.defaultDeadline,
        patience: Int = ItemStore.timeout, circle: CircleMaking? = nil,
        enclave: @escaping @Sendable () throws(Refusal) -> any EnclaveService
    ) throws(Refusal) {
        self.caller = if let caller { caller } else { try .thisProgram() }
        self.timeout = timeout
        open = { patience throws(Refusal) in
            let deadline = Deadline.after(milliseconds: Int(timeout))
            return try EmbeddedEngine(
                folder: folder, enclave: try enclave(), circle: circle, by: deadline, patience: patience)
        }
        engine = ProcessLocal(try open(patience))
    }

    private init(_ other: EmbeddedKeychain, _ caller: CallerIdentity) {
        (engine, open, timeout) = (other.engine, other.open, other.timeout)
        self.caller = caller
    }

    /// The same keychain as another program sees it.
    package func seen(by caller: CallerIdentity) -> EmbeddedKeychain { EmbeddedKeychain(self, caller) }

    package func send(_ request: ItemRequest) throws(Refusal) -> ItemResponse {
        try send(request, by: .never)
    }

    package func send(_ request: ItemRequest, by deadline: Deadline) throws(Refusal) -> ItemResponse {
        try deadline.check()
        let deadline = min(deadline, .after(milliseconds: Int(timeout)))
        let engine = try current()
        guard request.isSearch else { return try engine.write(request, from: caller, by: deadline) }
        return try engine.read(request, from: caller, by: deadline)
    }

    package func device(_ request: DeviceRequest, passcodes: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        if case .watch(let epoch, let milliseconds) = request { return try watch(epoch, milliseconds) }
        if case .watchGroups(let watch) = request { return try wait(watch) }
        if case .examine = request { return try examine(passcodes) }
        let deadline = Deadline.after(milliseconds: Int(request.timeout(timeout)))
        return try current().device(request, passcodes: passcodes, from: caller, by: deadline)
    }

    private func examine(_ files: [FileDescriptor]) throws(Refusal) -> DeviceReply {
        guard files.count == 1 else { throw .malformed("the number of files") }
        return .identity(CallerReport(try OwnIdentity.identifier.examine(files[0], for: caller)))
    }

    /// Waits for another state than that with this number, and looks every second whether another process has changed
    /// the vault. While it sleeps it is not in the engine, so that the process may fork.
    private func watch(_ epoch: UInt32, _ milliseconds: UInt32) throws(Refusal) -> DeviceReply {
        let deadline = Deadline.after(milliseconds: Int(min(milliseconds, WireLimits.longestWatch)))
        while true {
            let news = DeviceRequest.watch(epoch: epoch, milliseconds: 0)
            let reply = try current().device(news, passcodes: [], from: caller, by: .never)
            guard case .news(let news) = reply, news.epoch == epoch, !deadline.hasPassed else { return reply }
            let state = try current().stateEpoch
            _ = state.wait(while: epoch, deadline: min(deadline, .after(milliseconds: 1000)))
        }
    }

    /// Waits for another number of a group, and looks every second whether another process has written.
    private func wait(_ watch: GroupWatch) throws(Refusal) -> DeviceReply {
        let deadline = Deadline.after(milliseconds: Int(min(watch.milliseconds, WireLimits.longestWatch)))
        while true {
            // In this order: a change in between has another number.
            let (epoch, seen) = try current().groupEpochNow()
            let reply = try current().device(.watchGroups(watch), passcodes: [], from: caller, by: .never)
            guard case .groups(let numbers) = reply, numbers == watch.seen, !deadline.hasPassed else { return reply }
            _ = epoch.wait(while: seen, deadline: min(deadline, .after(milliseconds: 1000)))
        }
    }

    package func key(_ request: KeyRequest) throws(Refusal) -> KeyReply { try current().key(request, from: caller) }

    package func authentication(
        _ request: AuthenticationRequest, descriptors: [FileDescriptor]
    ) throws(Refusal) -> AuthenticationReply {
        guard request.descriptors.contains(descriptors.count) else { throw .malformed("the number of passwords") }
        let deadline = Deadline.after(milliseconds: Int(max(timeout, WireLimits.promptDeadline)))
        return try current().authentication(request, password: descriptors.first, from: caller, by: deadline)
    }

    private func current() throws(Refusal) -> EmbeddedEngine {
        try engine.withValue(inChild: reopen) { (engine) throws(Refusal) in
            guard let engine else { throw .forkedInUse }
            return engine
        }
    }

    /// The parent's connections go first: SQLite would take their locks for this process's own.
    private func reopen(_ engine: inout EmbeddedEngine?) throws(Refusal) {
        guard engine == nil || isKnownUniquelyReferenced(&engine) else { throw .forkedInUse }
        // Closing what has become another file's descriptor would harm that, and leave SQLite with locks it does not
        // have.
        if let engine, !engine.hasItsDescriptors { throw .descriptorsClosed }
        engine = nil
        engine = try open(ItemStore.timeout)
    }
}

extension Refusal {
    fileprivate static let descriptorsClosed = Refusal(
        .notAvailable, .unavailable, "process",
        "This process has closed or reused descriptors of the keychain that its parent had open.",
        do: "Use the keychain in the child before closing descriptors, or start a program in it (exec).")

    fileprivate static let forkedInUse = Refusal(
        .notAvailable, .unavailable, "process",
        "This process was forked while another thread of its parent was using the keychain.",
        do: "Start a program in the child (exec), or fork while no other thread uses the keychain.")
}
