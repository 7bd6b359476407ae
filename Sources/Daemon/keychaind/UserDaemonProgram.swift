import CallerIdentification
import EnclaveWire
import Glibc
import KeychainEngine
import KeychainModel
import KeychainServer
import KeychainStore
import KeychainWire
import LinuxSystem

/// The daemon of one keychain of the system service: as a user's daemon, but for where its connections come from, where
/// its enclave is, and which owner it serves.
struct UserDaemonProgram {
    private let owner: KeychainOwner
    private let options: DaemonArguments.Options
    private let log: ServerLog
    private let callers: IdentifierClient

    /// How long a keychain that cannot be opened is answered for before it is tried again, in seconds: so seldom is it
    /// tried.
    private static let refusalTime: UInt64 = 3

    /// Connections to the system's keychain that one user may have, but root: more than a unit needs.
    private static let mostOfUser = 64

    init(_ owner: KeychainOwner, _ options: DaemonArguments.Options, log: @escaping ServerLog) {
        (self.owner, self.options) = (owner, options)
        self.log = { line in log("\(owner): \(line)") }
        callers = IdentifierClient(owner.servedCallers)
    }

    /// Serves until the master dismisses it.
    ///
    /// - Throws: `errSecNotAvailable` when the enclave has ended; `SystemError` when it cannot serve at all.
    func run(_ control: UnixSocket, until signals: TerminationSignals) throws {
        try confine()
        try Watchdog.start { ConnectionHandoff.giveSign(over: control) }
        let life = KeychainLife()
        do throws(Refusal) {
            let engine = try openEngine(life)
            Keychaind.end(with: engine)
            let housekeeping = Housekeeping(engine)
            try serve(
                engine, control, signals, idleExit: options.idleExit,
                look: {
                    callers.forget()
                    return housekeeping.look()
                })
            if let failure = engine.failure { throw failure }
        } catch {
            log("\(error.problem) \(error.remedy)")
            if life.isOpen { throw error }
            // Also while somebody asks all the time: what kept it from opening may be over.
            try serve(ClosedKeychain(error), control, signals, idleExit: Self.refusalTime, isPassing: true)
        }
    }

    /// Leaves this process its own keychain's folder, and the installed files that everybody may read. It was given all
    /// its connections.
    private func confine() throws(SystemError) {
        try Privileges.reduce(to: nil, keeping: [])
        try ProcessHardening.forbidNewPrivileges()
        try PrivateDirectory.ensure(options.store)
        // SQLite's temporary files: there is no other folder that it may write.
        unsafe setenv("SQLITE_TMPDIR", options.store, 1)
        let folders = options.entitlements.isEmpty ? EntitlementFolders.usual : options.entitlements
        let readable = (Self.system + folders.map { $0 + "/" }).map { FileSystemRestriction.Place($0, .reading) }
        if try !FileSystemRestriction.apply(only: [.init(options.store, .everything)] + readable) {
            log("this kernel has no Landlock, so the daemon can open the other stores of its user")
        }
        try ProcessHardening.forbidReachingOut([.programs, .neighbours, .connections])
    }

    /// The folders of libraries and of programs' entitlements, and the kernel's own words about this process and
    /// the machine.
    private static let system = [
        "/usr/", "/etc/", "/opt/", "/lib/", "/lib64/", "/nix/store/", "/gnu/store/", "/proc/", "/dev/urandom",
    ]

    /// A new store is made when the vault is there, as in a user's own daemon: who is ended in between, or has no
    /// enclave, would leave a store that nobody opens any more.
    ///
    /// - Parameter life: learns when the keychain is open.
    private func openEngine(_ life: KeychainLife) throws(Refusal) -> KeychainEngine {
        let existing = ItemStore.exists(in: options.store) ? try openStore() : nil
        guard let channel = options.enclave else { throw .unreachableEnclave }
        let enclave = try EnclaveConnection(channel, whenEnded: life.enclaveHasEnded)
        let store = if let existing { existing } else { try openStore() }
        let engine = try KeychainEngine(
            store: store, enclave: enclave, deployment: "system daemon", quotas: options.quotas,
            history: options.history,
            anchoredGroups: Keychaind.anchoredGroups(options), log: log)
        life.begin()
        return engine
    }

    private func openStore() throws(Refusal) -> ItemStore {
        try ItemStore(folder: options.store, prefersExclusive: true, makesFolder: false)
    }

    private func serve(
        _ handler: any RequestHandler, _ control: UnixSocket, _ signals: TerminationSignals, idleExit: UInt64?,
        isPassing: Bool = false, look: () -> UInt64 = { 600 }
    ) throws(Refusal) {
        var limits: ServerLimits
        do {
            limits = try DaemonProcess.limits(requestRate: options.requestRate, connections: options.connections)
            // Any user may connect to the system's keychain, to be told that it is not for them.
            if owner == .system { limits.connectionsOfUser = Self.mostOfUser }
        } catch {
            throw Refusal(.notAvailable, .unavailable, "server", "\(error)", do: "Raise the limit of open files.")
        }
        let credentials = CredentialDesk(handler, log: log)
        let connections = HandoverReceiver(
            control, onCredential: credentials.take, onIdentifier: callers.use,
            onEnd: { kill(CurrentProcess.identifier, SIGTERM) })
        let server = try KeychainServer(
            handler, on: [connections], registry: callers, limits: limits, log: log)
        defer { server.stop() }
        try signals.wait(
            idleExit: { idleExit }, of: server, isPassing: isPassing,
            mayEnd: { vacancy in
                let received = connections.received
                if vacancy() > 0 { connections.offerEnd(received: received) }
                return false
            }, look: look)
    }
}

/// Ends an open keychain with its enclave, also when the enclave ends just before the keychain is open. Thread-safe.
private final class KeychainLife: Sendable {
    private let state = Lock((isOpen: false, hasEnded: false))

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func begin() {
        tell { $0.isOpen = true }
    }

    func enclaveHasEnded() {
        tell { $0.hasEnded = true }
    }

    /// The signal says what the end of an enclave of the daemon's own would say.
    private func tell(_ change: (inout (isOpen: Bool, hasEnded: Bool)) -> Void) {
        let isOver = state.withLock { state in
            change(&state)
            return state.isOpen && state.hasEnded
        }
        if isOver { kill(CurrentProcess.identifier, SIGCHLD) }
    }
}

extension Refusal {
    fileprivate static var unreachableEnclave: Refusal {
        Refusal(
            .notAvailable, .unavailable, "enclave", "The system's enclave cannot be reached.",
            do: "Start keychain-enclaved (systemctl start keychain-enclaved.socket), or see its log and keychaind's.")
    }
}
