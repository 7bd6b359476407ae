import CommandOptions
import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import SystemAccounts

/// Starts an enclave for every connection of the system service's master: this program once more, with the connection
/// as its channel; and the enclaves' agents, the next one when one has gone. It reads nothing that comes over the
/// connection, of an enclave no more than that it wants an agent, and has no key.
final class EnclaveListener {
    private let entrance: Entrance
    private let client: UInt32
    private let program: String
    private let arguments: [String]
    private let epoll: Epoll
    private let agents: (entrance: Entrance, registered: SessionAgents)?
    /// By their first tokens.
    private var enclaves: [UInt64: StartedEnclave] = [:]
    private var nextToken = Token.firstEnclave
    private var isEnding = false
    private let report: (any Error) -> Void

    /// An enclave has four: for its end, for its wish of an agent, for that of a session agent, and for the end of its
    /// daemon. The numbers of session agents stand behind all others.
    private enum Token {
        static let listener: UInt64 = 0
        static let lifeline: UInt64 = 1
        static let agents: UInt64 = 2
        static let firstEnclave: UInt64 = 4
        static let ofEnclave: UInt64 = 4
        static let firstAgent: UInt64 = 1 << 63
    }

    /// More keychains than that are not open at once.
    private static let mostEnclaves = 2048

    /// Listens until it is told to end.
    ///
    /// - Parameter report: called with each failure.
    /// - Throws: the reason why it cannot listen.
    static func run(_ options: ListenerOptions, report: @escaping (any Error) -> Void) throws {
        if options.asksForHelp { return print(ListenerOptions.table.help) }
        try EnclaveHardening.hide()
        umask(0o077)
        signal(SIGPIPE, SIG_IGN)
        _ = try ProcessLimits.raiseOpenFilesLimit()
        let client = try Account(options.client)
        let inherited = try SocketActivation.sockets()
        // Passed-on sockets come with the right user.
        let account = inherited.isEmpty ? try Account(options.user) : nil
        let sockets = try account.map { try bind(options, $0.user, client) } ?? entrances(inherited)
        let group = sockets.agents.flatMap { _ in SessionAgents.group(options.agentGroup, report: report) }
        try Privileges.reduce(to: account, keeping: [])
        // A change of user has undone this.
        try EnclaveHardening.hide()
        let program = try ExecutableFile(ofProcess: CurrentProcess.identifier).path
        let arguments = [
            "--vaults", options.state, "--tpm", options.tpm,
            // Agents here open no window, because the process that has all vaults would open it. Without pinentries
            // they start no program at all.
            "--pinentry", "none",
        ]
        let server = try EnclaveListener(sockets, group, client.user, program, arguments, report)
        if let ready = options.ready { _ = try? ready.write([1].span) }
        try server.run(until: options.lifeline, Watchdog(lifeline: options.lifeline))
    }

    private typealias Entrances = (enclaves: UnixSocket, agents: UnixSocket?)

    /// A service manager's sockets, by the names of their files. Without one for session agents there are none.
    private static func entrances(_ inherited: [UnixSocket]) throws -> Entrances {
        let isForAgents = { (socket: UnixSocket) throws(SystemError) in
            try socket.localPath().hasSuffix("/" + AgentRegistration.socketName)
        }
        guard let enclaves = try inherited.first(where: { try !isForAgents($0) }) else {
            throw EnclaveArguments.Mistake(description: "systemd has given no socket for enclaves.")
        }
        return (enclaves, try inherited.first(where: isForAgents))
    }

    private static func bind(_ options: ListenerOptions, _ user: UInt32, _ client: Account) throws -> Entrances {
        guard CurrentProcess.user == 0 else {
            throw EnclaveArguments.Mistake(description: "The enclaves' listener is started by systemd, or by root.")
        }
        let folder = String(options.socket[..<(options.socket.lastIndex(of: "/") ?? options.socket.startIndex)])
        try ServiceFolder.make(folder, mode: 0o755, owner: 0)
        try ServiceFolder.make(options.state, mode: 0o700, owner: user)
        let socket = try UnixSocket.listen(at: options.socket, mode: 0o600)
        try ServiceFolder.give(options.socket, to: client.user)
        // Every user's agent may connect; the kernel says whose and which it is.
        let agents = try UnixSocket.listen(at: "\(folder)/\(AgentRegistration.socketName)", mode: 0o666)
        return (socket, agents)
    }

    private init(
        _ sockets: Entrances, _ agentGroup: UInt32?, _ client: UInt32, _ program: String,
        _ arguments: [String], _ report: @escaping (any Error) -> Void
    ) throws(SystemError) {
        (self.client, self.program, self.arguments, self.report) = (client, program, arguments, report)
        epoll = try Epoll()
        entrance = try Entrance(sockets.enclaves, epoll, token: Token.listener)
        if let socket = sockets.agents {
            let entrance = try Entrance(socket, epoll, token: Token.agents)
            agents = (entrance, SessionAgents(agentGroup, report: report))
        } else {
            agents = nil
        }
    }

    /// When there is something to do for an enclave, or at an entrance.
    private var deadline: Deadline {
        let entrances = min(entrance.due, agents?.entrance.due ?? .never)
        return min(enclaves.values.map(\.deadline).min() ?? .never, entrances)
    }

    private func run(until lifeline: FileDescriptor?, _ watchdog: Watchdog?) throws(SystemError) {
        if let lifeline { try epoll.add(lifeline, for: .readable, token: Token.lifeline) }
        while !isEnding {
            let longest = watchdog == nil ? Deadline.never : .after(milliseconds: Watchdog.interval)
            try epoll.wait(deadline: min(deadline, longest)) { token, _ in
                switch token {
                case Token.listener: accept()
                case Token.lifeline: isEnding = true
                case Token.agents: acceptAgent()
                case Token.firstAgent...: agents?.registered.forget(number: token - Token.firstAgent)
                default: handle(token)
                }
            }
            watchdog?.beat()
            lookAtEntrances()
            for enclave in enclaves.values { look(enclave) }
        }
        // The daemons have gone, or will notice.
        for enclave in enclaves.values { enclave.bury(timeout: 2000) }
    }

    private func handle(_ token: UInt64) {
        let first = token - token % Token.ofEnclave
        guard let enclave = enclaves[first] else { return }
        switch token - first {
        case 0: enclaves.removeValue(forKey: first)?.bury(timeout: 0)
        case 1: if !enclave.hear() { try? epoll.remove(enclave.requests) }
        case 2: if !enclave.hearOfSessions() { try? epoll.remove(enclave.seats.requests) }
        default:
            try? epoll.remove(enclave.connection)
            enclave.beLeft()
        }
    }

    private func look(_ enclave: StartedEnclave) {
        do throws(SystemError) { try enclave.look(startAgent(watching:)) } catch { report(error) }
        guard let agents = agents?.registered, let user = enclave.seats.user else { return }
        if !enclave.seats.look(agents.agent(of: user)) { agents.forget(user) }
    }

    private func lookAtEntrances() {
        do throws(SystemError) {
            try entrance.look()
            try agents?.entrance.look()
        } catch { report(error) }
    }

    private func acceptAgent() {
        do throws(SystemError) {
            guard let agents, let connection = try agents.entrance.accept() else { return }
            guard let new = agents.registered.take(connection) else { return }
            // An event that nobody asked for is reported all the same: the other end is closed.
            try epoll.add(connection.descriptor, for: [], token: Token.firstAgent + new.number)
            for enclave in enclaves.values where enclave.seats.user == new.user { enclave.seats.renew() }
        } catch { report(error) }
    }

    private func startAgent(watching user: UInt32?) -> (UnixSocket, ChildProcess)? {
        let launched = AgentChoice.beside.launch(pinentry: "none", confinement: .alone, watching: user, report: report)
        return launched.flatMap { launched in launched.process.map { (launched.socket, $0) } }
    }

    private func accept() {
        do throws(SystemError) {
            guard let connection = try entrance.accept() else { return }
            let user = try PeerNumbers(of: connection).user
            guard user == client, enclaves.count < Self.mostEnclaves else {
                throw SystemError(code: EACCES, call: "accept", advice: "refused a connection of user \(user)")
            }
            let enclave = try StartedEnclave(program, arguments, connection)
            enclaves[nextToken] = enclave
            try epoll.add(enclave.end, for: .readable, token: nextToken)
            try epoll.add(enclave.requests, for: .readable, token: nextToken + 1)
            try epoll.add(enclave.seats.requests, for: .readable, token: nextToken + 2)
            // An event that nobody asked for is reported all the same: the other end is closed.
            try epoll.add(enclave.connection, for: [], token: nextToken + 3)
            nextToken += Token.ofEnclave
        } catch { report(error) }
    }
}
