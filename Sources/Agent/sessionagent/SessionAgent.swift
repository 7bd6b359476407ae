import CommandOptions
import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import UserPresence

/// keychain-session-agent: asks for passcodes on the user's display, on behalf of the user's enclave in the system
/// service. The session starts it, and root has installed it as a set-group-ID program, by which the service knows it.
///
/// It takes no setting: its starter must not choose what it shows, and who gets its answers.
@main
struct SessionAgent {
    static func main() {
        do {
            switch try SessionAgentArguments(CommandLine.arguments.dropFirst()) {
            case .help: print(SessionAgentArguments.table.help)
            case .version: print(SessionAgentArguments.versionText)
            case .serve: try serve()
            }
        } catch {
            report("\(error)")
            exit(EXIT_FAILURE)
        }
    }

    private static func serve() throws {
        try SessionAgentHardening.apply()
        let presence = SessionPresence(
            programs: .ofDisplays(), environment: SessionAgentHardening.environment, isLocked: { SessionLock.isOn })
        guard presence.hasDisplay else {
            return report("there is no display in its environment, or no pinentry for one: nobody can be asked here")
        }
        var backoff = Backoff()
        while true {
            backoff.begin()
            if register(presence) { return }
            _ = poll(nil, 0, backoff.end().remainingMilliseconds)
        }
    }

    /// Serves as long as the service keeps the registration. True when another agent has taken its place.
    private static func register(_ presence: SessionPresence) -> Bool {
        let (path, deadline) = (AgentRegistration.usualSocket, Deadline.after(milliseconds: 5_000))
        guard let socket = try? UnixSocket.connect(to: path, deadline: deadline) else { return false }
        let desk = ChannelDesk(presence)
        defer { desk.end() }
        let registration = AgentRegistration(socket)
        while true {
            switch registration.next() {
            case .channel(let channel): desk.serve(channel)
            case .dismissed: return true
            case .ended: return false
            }
        }
    }

    private static func report(_ message: String) {
        let line = Array("keychain-session-agent: \(ForeignText.shown(message))\n".utf8)
        unsafe write(STDERR_FILENO, line, line.count)
    }
}

/// Serves the newest channel to the enclave, and no older one. Belongs to one thread.
final class ChannelDesk {
    private let presence: SessionPresence
    private var server: AgentServer?
    private var thread: Thread?

    init(_ presence: SessionPresence) { self.presence = presence }

    /// A channel that cannot be served closes, and the enclave asks for another one.
    func serve(_ channel: UnixSocket) {
        end()
        guard let new = try? AgentServer(presence, channel: channel) else { return }
        server = new
        thread = try? Thread(named: "session-agent") { new.run() }
        if thread == nil { end() }
    }

    /// Ends the channel, and the question that is open; its window has gone then.
    func end() {
        server?.end()
        thread?.join()
        (server, thread) = (nil, nil)
    }
}
