import CommandOptions
import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TPMEnclave

/// keychain-enclaved: the process that alone holds device key, class keys and passcodes. The daemon starts it and talks
/// to it through the socket it inherits; it ends when the daemon goes.
@main
struct Enclaved {
    static func main() {
        do {
            switch try EnclaveArguments(CommandLine.arguments.dropFirst()) {
            case .help: print(EnclaveArguments.table.help)
            case .version: print(EnclaveArguments.versionText)
            case .serve(let options): try serve(options)
            case .listen(let options): try EnclaveListener.run(options) { report($0) }
            }
        } catch {
            report(error)
            exit(EXIT_FAILURE)
        }
    }

    /// Hardening comes before the first key, the filter of system calls after the last thread and before the first
    /// request.
    private static func serve(_ options: EnclaveArguments.Options) throws {
        try EnclaveHardening.hide()
        let found = try options.vault.find(options.channel)
        let vault = found.path
        let confinement = AgentConfinement(
            pinentry: options.pinentry, acceptsLoginPassword: options.acceptsLoginPassword, vault: vault)
        let launched = options.agent.launch(
            pinentry: options.pinentry, confinement: confinement, watching: found.user, report: report)
        try EnclaveHardening.apply()
        // A TPM at the end of a socket may go.
        signal(SIGPIPE, SIG_IGN)
        let events = EarlySessionEvents()
        let agent = try connect(launched, options, found.user, events)
        let enclave: SoftwareEnclave
        let tpm: TPM?
        do {
            let existing = try SoftwareEnclave.root(ofVault: vault)
            let chip = try options.tpm.connect(existing: existing)
            tpm = try? chip.get()
            enclave = try SoftwareEnclave(
                vault: vault, createIfMissing: found.createIfMissing, makesFolder: options.vault.isOfService,
                kind: "separate process",
                roots: DeviceRoots(tpm: chip.map { TPMDeviceRoot($0) }), preferring: tpm == nil ? .software : .tpm,
                userAgent: agent, acceptsLoginPassword: options.acceptsLoginPassword, policy: try .load())
            events.deliver { enclave.sessionChanged($0) }
        } catch {
            EnclaveServer.refuse(error, channel: options.channel)
            throw error
        }
        try enclave.startWatching()
        try EnclaveHardening.restrictFiles(toFolderOf: vault)
        let server = try EnclaveServer(enclave, channel: options.channel) { tpm?.hasBeenLost != true }
        try Sandbox.install()
        server.run()
    }

    /// The user's agents. The system's keychain, and one without a system agent, have no session agents.
    private static func connect(
        _ launched: AgentChoice.Launched?, _ options: EnclaveArguments.Options, _ user: UInt32?,
        _ events: EarlySessionEvents
    ) throws(Refusal) -> (any UserAgent)? {
        guard let launched else { return nil }
        let channel = options.channel
        let system = try AgentConnection(
            launched.socket, process: launched.process, desk: launched.desk,
            whenGone: { if launched.desk == nil { end(channel) } }, onEvent: { events.take($0) })
        guard let user, let queue = options.sessionAgents else { return system }
        return AgentRouter(
            system: system, session: try AgentConnection(sessionAgentsOf: queue.watching(user)))
    }

    /// The end of an enclave whose agent has gone. Its sandbox lets it start no other one, so it could neither prompt
    /// nor hear that the session is locked. Its daemon ends with it, and the next program starts all of them.
    @Sendable private static func end(_ channel: UnixSocket) {
        shutdown(channel.descriptor.number, CInt(SHUT_RDWR))
    }

    private static func report(_ error: any Error) {
        let refusal = error as? Refusal
        let message = refusal.map { "\($0.problem) \($0.remedy)" } ?? "\(error)"
        let line = Array("keychain-enclaved: \(ForeignText.shown(message))\n".utf8)
        unsafe write(STDERR_FILENO, line, line.count)
    }
}
