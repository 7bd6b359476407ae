import CommandOptions
import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import UserPresence

/// keychain-agent: asks the user on behalf of the enclave, which starts it, and watches their session. It ends when the
/// enclave goes.
@main
struct Agent {
    static func main() {
        do {
            switch try AgentArguments(CommandLine.arguments.dropFirst()) {
            case .help: print(AgentArguments.table.help)
            case .version: print(AgentArguments.versionText)
            case .serve(let options): try serve(options)
            }
        } catch {
            report("\(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func report(_ message: String) {
        let line = Array("keychain-agent: \(ForeignText.shown(message))\n".utf8)
        unsafe write(STDERR_FILENO, line, line.count)
    }

    private static func serve(_ options: AgentArguments.Options) throws {
        try AgentHardening.apply()
        // Before the first thread, so that all are confined.
        try options.confinement.apply(report: report)
        let signals = AgentSignals()
        let (server, watch) = try Services.start(options)
        try signals.handle { server.end() }
        server.run()
        watch.withdraw()
    }
}

/// The parts that run in the process.
enum Services {
    /// Links between the services. The watch needs the server, and the report needs the watch's session, before both
    /// exist.
    private struct Parts {
        var server: AgentServer?
        var watch: SessionWatch?
    }

    /// - Returns: the server, to be run, and a handle that ends the watch over the session.
    static func start(_ options: AgentArguments.Options) throws -> (AgentServer, Withdrawal) {
        let parts = Monitor(Parts())
        let presence = UserPresence(
            programs: PinentryPrograms(setting: options.pinentry), loginService: options.loginService,
            sessionName: { parts.update { $0.watch?.session ?? "" } })
        let server = try AgentServer(presence, channel: options.channel)
        let watch = SessionWatch(of: options.user) { event in parts.update { $0.server }?.tell(event) }
        parts.update { $0 = Parts(server: server, watch: watch) }
        let end = try Withdrawal()
        _ = try Thread(named: "agent-session") { watch.run(until: end) }
        return (server, end)
    }
}
