import CallerIdentification
import CommandOptions
import EnclaveWire
import Glibc
import KeychainClient
import KeychainEngine
import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainStore
import KeychainWire
import LinuxSystem
import SyncService

/// keychaind: serves the keychain of one user, with the enclave in a process of its own.
@main
struct Keychaind {
    static func main() {
        do {
            switch try DaemonArguments(CommandLine.arguments.dropFirst()) {
            case .help: print(DaemonArguments.table.help)
            case .version: print(DaemonArguments.versionText)
            case .detach(let options): telling(options.ready) { try detach(options) }
            case .serve(let options): telling(options.ready) { try serve(options) }
            case .system(let options): try SystemServiceProgram.run(options, log: report)
            case .identify(let options): try IdentifierService.run(options, log: report)
            case .accounts(let channel): try AccountLookupProgram.serve(channel)
            }
        } catch { end(error, telling: DaemonArguments.waitingProgram(CommandLine.arguments)) }
    }

    /// Runs something whose failure the program that waits is told, before its pipe ends: the log may be gone.
    private static func telling(_ ready: FileDescriptor?, _ body: () throws -> Void) {
        do { try body() } catch { end(error, telling: ready) }
    }

    private static func end(_ error: any Error, telling ready: FileDescriptor? = nil) -> Never {
        let text = (error as? Refusal).map { "\($0.problem) \($0.remedy)" } ?? "\(error)"
        // The program that waits says it itself, where its error output is still this process's.
        if ready == nil || DaemonProcess.hasLog { report(text) }
        _ = try? ready?.write(Array(ForeignText.shown(text).utf8.prefix(StartReport.longest)).span)
        exit(EXIT_FAILURE)
    }

    /// Starts this program once more and ends, so that the daemon is the child of no process that did not ask for one.
    /// The daemon does not keep the output of its starter either: a script that reads that to its end would wait for a
    /// daemon.
    private static func detach(_ options: DaemonArguments.Options) throws {
        let arguments = CommandLine.arguments.dropFirst().filter { $0 != "--detach" }
        guard options.ready?.number ?? ChildProcess.firstDescriptor == ChildProcess.firstDescriptor else {
            throw DaemonArguments.Mistake("--detach hands on no descriptor but \(ChildProcess.firstDescriptor).")
        }
        // The log is in the folder, and says nothing when that has gone.
        _ = try folder(options)
        if let log = options.log { try DaemonProcess.leaveSession(log: log) }
        _ = try ChildProcess.start(
            try ownPath(), arguments, handing: options.ready.map { [$0] } ?? [])
    }

    /// Hardening comes before the first secret, the signals before the first thread, the lock before the socket, and
    /// the socket before the store: the process that has the lock is the one daemon, and clients can connect while it
    /// opens the store.
    private static func serve(_ options: DaemonArguments.Options) throws {
        try DaemonProcess.harden()
        DatabaseLibrary.belongsToThisProcess()
        let signals = TerminationSignals()
        let folder = options.owner == nil ? try folder(options) : nil
        if let log = options.log { try DaemonProcess.leaveSession(log: log) }
        if let owner = options.owner, let control = options.control {
            return try UserDaemonProgram(owner, options, log: report).run(control, until: signals)
        }
        let program = OwnProgram(options)
        let life = try options.life.map { limits throws(SystemError) in try ThrowAwayLife(limits, options.store) }
        guard let folder else { throw DaemonArguments.Mistake("--keychain takes --control.") }
        // After the server's end.
        defer { life?.erase(folder) }
        guard let started = try start(options, folder) else { return }
        let (server, engine) = (started.server, started.engine)
        // The lock on the store ends last.
        defer { withExtendedLifetime(started.owner) {} }
        if let ready = options.ready { _ = try? ready.write([StartReport.serves].span) }
        defer { server.stop() }
        try life?.start { kill(CurrentProcess.identifier, SIGTERM) }
        let housekeeping = Housekeeping(engine)
        try signals.wait(
            idleExit: { mayEnd(options, engine) ? program.idleExit : nil }, of: server,
            mayEnd: { _ in mayEnd(options, engine) }, firstLook: min(60, options.upgradeExit),
            look: { min(housekeeping.look(), options.upgradeExit) })
        if let failure = engine.failure { throw failure }
    }

    private static func folder(_ options: DaemonArguments.Options) throws(SystemError) -> StoreFolder {
        try StoreFolder(options.store, madeBy: options.life != nil ? .job : options.isNamed ? .other : .daemon)
    }

    /// Whether it may end when nobody is connected. A named keychain that was unlocked stays so for as long as its
    /// settings say: a script unlocks it once, and uses it when something has been built.
    private static func mayEnd(_ options: DaemonArguments.Options, _ engine: KeychainEngine) -> Bool {
        if options.life != nil { return false }
        guard options.isNamed, let status = try? engine.status() else { return true }
        return !status.passcodeIsSet || status.lockState != .unlocked
    }

    /// The end of the daemon when nobody finds it any more.
    private static func start(_ watch: SocketWatch?) {
        do throws(SystemError) {
            try watch?.start { path in
                report("\(path) has gone: this daemon ends, and the next program starts another.")
                kill(CurrentProcess.identifier, SIGTERM)
            }
        } catch { report("Nobody watches whether the socket is removed: \(error)") }
    }

    /// The end of the daemon when the disk has failed: what waits is refused, and the next one recovers from the log.
    static func end(with engine: KeychainEngine) {
        engine.whenStoreFails { refusal in
            report("\(refusal.problem) \(refusal.remedy)")
            kill(CurrentProcess.identifier, SIGTERM)
        }
    }

    /// Whether a file that a peer has sent is the store's: this daemon may have lost what it had locked, and ends.
    private static func isTaken(_ file: FileStatus, from owner: StoreOwner) -> Bool {
        guard owner.has(file) else { return false }
        report("A program has sent a file of the store: this daemon ends, and the next program starts another.")
        kill(CurrentProcess.identifier, SIGTERM)
        return true
    }

    private struct Started {
        let owner: StoreOwner
        let server: KeychainServer
        let engine: KeychainEngine
    }

    /// Nothing is answered before it is certain that the files which were opened are in the folder that programs find.
    ///
    /// - Returns: nil when another daemon serves already.
    private static func start(
        _ options: DaemonArguments.Options, _ folder: StoreFolder
    ) throws -> Started? {
        let makesFolder = !options.isNamed && options.life == nil
        guard let owner = try StoreOwner.take(options.store, for: options.socket, log: report),
            let listeners = try Listeners.open(
                at: options.socket, for: owner, makesFolder: makesFolder, log: report)
        else { return nil }
        let engine = try openEngine(options)
        start(listeners.watch)
        try folder.check()
        let limits = try DaemonProcess.limits(loops: options.loops, requestRate: options.requestRate)
        end(with: engine)
        let server = try KeychainServer(
            engine, on: listeners.sockets, registry: try InProcessIdentifier(callers(options)),
            limits: limits, files: ForeignFiles { isTaken($0, from: owner) }, log: report)
        return Started(owner: owner, server: server, engine: engine)
    }

    /// Decides which programs may call, and identifies them.
    private static func callers(_ options: DaemonArguments.Options) throws -> CallerIdentifier {
        let rules = IdentityRules(
            .user(CurrentProcess.user), anchorGroup: try AnchorGroup.find(options.anchorGroup), bridge: .name)
        let folders = options.entitlements.isEmpty ? EntitlementFolders.usual : options.entitlements
        return CallerIdentifier(rules, folders: EntitlementFolders(folders), refresh: ownPrograms(), log: report)
    }

    /// Puts in the programs of this installation that may do what others may not, by their files as they are now: the
    /// command, in the daemon's folder or in that of commands, and the desktop's bridge in the daemon's folder. A
    /// user's own daemon knows the bridge by its name.
    static func ownPrograms() -> @Sendable (inout IdentityRules) -> Void {
        guard let folder = try? ownPath().folder else { return { _ in } }
        let commands = [folder + "security", String(folder.dropLast()).folder + "bin/security"]
        return { rules in
            rules.inspector = commands.lazy.compactMap { try? FileStatus(at: $0) }.first
            rules.prompter = try? FileStatus(at: folder + AccessGroup.bridgeName)
            if case .name = rules.bridge { return }
            rules.bridge = rules.prompter.map { .file($0) } ?? .unknown
        }
    }

    /// The enclave is started before new privileges are forbidden, which its agent needs to have a login's password
    /// checked. The first thread comes afterwards, so that all threads have it forbidden. A new store is made when the
    /// vault is there. Otherwise a daemon that is ended in between would leave a store that nobody can open any more.
    private static func openEngine(_ options: DaemonArguments.Options) throws -> KeychainEngine {
        let isNew = !ItemStore.exists(in: options.store)
        let existing = isNew ? nil : try ItemStore(folder: options.store, prefersExclusive: true, makesFolder: false)
        let (socket, process) = try EnclaveProcess.launch(
            try ownPath().folder + "keychain-enclaved", vault: options.store + "/vault", createIfMissing: isNew,
            tpm: options.tpm, pinentry: options.pinentry, acceptsLoginPassword: options.loginPassword == .yes,
            prompts: options.life == nil)
        try ProcessHardening.forbidNewPrivileges()
        try ProcessHardening.forbidReachingOut()
        let enclave = try EnclaveConnection(socket, process: process)
        let store = try existing ?? ItemStore(folder: options.store, prefersExclusive: true, makesFolder: false)
        let engine = try KeychainEngine(
            store: store, enclave: enclave,
            deployment: options.life == nil ? "user daemon" : "daemon of a job, in memory",
            quotas: options.quotas, history: options.history,
            anchoredGroups: anchoredGroups(options), log: report)
        // A job's keychain goes with it, and of named ones nobody has said yet which belong to a circle.
        if options.life == nil, !options.isNamed {
            engine.serve(CircleService(engine, enclave, folder: options.store))
        }
        return engine
    }

    /// The groups of anchored programs: that of a file which is marked, and those that root has reserved for them.
    static func anchoredGroups(_ options: DaemonArguments.Options) -> AnchoredGroups {
        guard let marker = try? AnchorGroup.find(options.anchorGroup) else { return .none }
        let rules = IdentityRules(.user(CurrentProcess.user), anchorGroup: marker)
        let folders = options.entitlements.isEmpty ? EntitlementFolders.usual : options.entitlements
        return rules.anchoredGroups(EntitlementFolders(folders))
    }

    static func ownPath() throws -> String {
        try ExecutableFile(ofProcess: CurrentProcess.identifier).path
    }

    /// One line to the log; never a value.
    @Sendable private static func report(_ message: String) {
        DaemonProcess.boundLog()
        let line = Array("keychaind: \(ForeignText.shown(message))\n".utf8)
        unsafe write(STDERR_FILENO, line, line.count)
    }
}

/// An engine is what a server needs.
extension KeychainEngine: RequestHandler {}
extension InProcessIdentifier: CallerRegistry {}
extension IdentifierClient: CallerRegistry {}
extension ItemReader: RequestReader {}
extension PendingWrite: QueuedWrite {}
