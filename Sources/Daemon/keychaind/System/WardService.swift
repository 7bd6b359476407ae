import CallerIdentification
import Glibc
import KeychainEngine
import KeychainModel
import KeychainServer
import KeychainStore
import KeychainWire
import LinuxSystem

/// The daemon of one keychain of the system service: as a user's daemon, but for where its connections come from, where its
/// enclave is, and whom it serves.
struct WardService {
    private let owner: KeychainOwner
    private let options: Arguments.Options
    private let log: ServerLog

    /// How long a keychain that cannot be opened is answered for before it is tried again, in seconds: so seldom is it tried.
    private static let refusalTime: UInt64 = 3

    /// Connections to the system's keychain that one user may have, but root: more than a unit needs.
    private static let mostOfUser = 64

    init(_ owner: KeychainOwner, _ options: Arguments.Options, log: @escaping ServerLog) {
        (self.owner, self.options) = (owner, options)
        self.log = { line in log("\(owner): \(line)") }
    }

    /// Serves until the master lets it go.
    ///
    /// - Throws: `errSecNotAvailable` when the enclave has ended; `SystemError` when it cannot serve at all.
    func run(_ control: UnixSocket, until signals: TerminationSignals) throws {
        try ProcessHardening.forbidNewPrivileges()
        // It has the capability to look at all processes, and takes input from any. What it is connected to it was given.
        try ProcessHardening.forbidReachingOut([.programs, .neighbours, .connections])
        let isOpen = SharedWord()
        do throws(Refusal) {
            let engine = try openEngine(isOpen)
            Keychaind.end(with: engine)
            let housekeeping = Housekeeping(engine)
            try serve(engine, control, signals, idleExit: options.idleExit, look: { housekeeping.look() })
            if let failure = engine.failure { throw failure }
        } catch {
            log("\(error.problem) \(error.remedy)")
            if isOpen.load() != 0 { throw error }
            try serve(ClosedKeychain(error), control, signals, idleExit: Self.refusalTime)
        }
    }

    /// - Parameter isOpen: set when the keychain is open: from then on the end of the enclave is the end of the daemon.
    private func openEngine(_ isOpen: SharedWord) throws(Refusal) -> KeychainEngine {
        let store = try ItemStore(folder: options.store, prefersExclusive: true)
        guard let channel = options.enclave else { throw .unreachableEnclave }
        let enclave = try EnclaveConnection(channel) {
            // As the end of an enclave of its own would be told.
            if isOpen.load() != 0 { kill(CurrentProcess.identifier, SIGCHLD) }
        }
        let engine = try KeychainEngine(
            store: store, enclave: enclave, deployment: "system daemon", quotas: options.quotas,
            history: options.history,
            anchoredGroups: Keychaind.anchoredGroups(options), log: log)
        isOpen.store(1)
        return engine
    }

    private var clientele: Clientele {
        switch owner {
        case .user(let user): .user(user)
        case .system: .system
        }
    }

    private func serve(
        _ handler: any RequestHandler, _ control: UnixSocket, _ signals: TerminationSignals, idleExit: UInt64?,
        look: () -> UInt64 = { 600 }
    ) throws(Refusal) {
        var limits: ServerLimits
        let registry: CallerIdentifier
        do {
            limits = try Surroundings.limits(requestRate: options.requestRate, connections: options.connections)
            // Everybody may knock at the system's keychain, to be told that it is not for them.
            if owner == .system { limits.connectionsOfUser = Self.mostOfUser }
            registry = try Keychaind.callers(clientele, options)
        } catch {
            throw Refusal(.notAvailable, .unavailable, "server", "\(error)", do: "Raise the limit of open files.")
        }
        let credentials = CredentialDesk(handler, log: log)
        let connections = HandoverReceiver(
            control, onCredential: credentials.take, onEnd: { kill(CurrentProcess.identifier, SIGTERM) })
        let server = try KeychainServer(
            handler, on: [connections], registry: registry, limits: limits, log: log)
        defer { server.stop() }
        try signals.wait(
            idleExit: idleExit, of: server,
            mayEnd: { vacancy in
                let received = connections.received
                if vacancy() > 0 { connections.offerEnd(received: received) }
                return false
            }, look: look)
    }
}

extension Refusal {
    fileprivate static var unreachableEnclave: Refusal {
        Refusal(
            .notAvailable, .unavailable, "enclave", "The system's enclave cannot be reached.",
            do: "Start keychain-enclaved (systemctl start keychain-enclaved.socket), or see its log and keychaind's.")
    }
}
