import CallerIdentification
import CommandOptions
import Glibc
import KeychainWire
import LinuxSystem
import SystemAccounts

/// The process of the system service that finds out which programs call: the only one that may look at other users'
/// processes.
///
/// It has no store, no key and no network, and reads nothing that a client sends; what it reads is the kernel's word,
/// and the programs' files. Of the master it takes the daemons' channels, and reads each on a thread of its own; others
/// look at the programs, a few for each user. No Landlock: who is restricted by that may look at nobody who is not.
final class IdentifierService {
    private let listener: UnixSocket
    private let client: UInt32
    private let options: IdentifierOptions
    private let folders: EntitlementFolders
    private let signatures = SignatureReader()
    private let anchorGroup: UInt32?
    private let watchdog: Watchdog?
    private let epoll: Epoll
    private var masters: [UInt64: UnixSocket] = [:]
    private var nextToken = Token.firstMaster
    private var isEnding = false
    private let inspections = ProgramInspections()
    /// Those that no thread reads yet.
    private var unread: [IdentifierSession] = []
    private let log: @Sendable (String) -> Void

    private enum Token {
        static let listener: UInt64 = 0
        static let lifeline: UInt64 = 1
        static let firstMaster: UInt64 = 2
    }

    /// One, and the next one when that has gone.
    private static let mostMasters = 8

    /// Serves until it is told to end.
    ///
    /// - Throws: what keeps it from listening.
    static func run(_ options: IdentifierOptions, log: @escaping @Sendable (String) -> Void) throws {
        if options.asksForHelp { return print(IdentifierOptions.table.help) }
        try DaemonProcess.harden()
        signal(SIGPIPE, SIG_IGN)
        let client = try Account(options.client)
        let inherited = try SocketActivation.sockets()
        // Passed-on sockets come with the right user.
        let account = inherited.isEmpty ? try Account(options.user) : nil
        let listener = try inherited.first ?? bind(options.socket, for: client)
        let watchdog = Watchdog(lifeline: options.lifeline?.descriptor)
        try Privileges.reduce(to: account, keeping: [.seeProcesses])
        // A change of user has undone this.
        try ProcessHardening.forbidDumps()
        _ = try ProcessLimits.raiseOpenFilesLimit()
        let service = try IdentifierService(listener, client.user, options, watchdog, log)
        try ProcessHardening.forbidNewPrivileges()
        try ProcessHardening.forbidReachingOut([.programs, .neighbours, .connections])
        if let ready = options.ready { _ = try? ready.write([1].span) }
        try service.run()
    }

    private static func bind(_ path: String, for client: Account) throws -> UnixSocket {
        guard CurrentProcess.user == 0 else {
            throw DaemonArguments.Mistake("The process that identifies callers is started by systemd, or by root.")
        }
        try ServiceFolder.make(String(path.folder.dropLast()), mode: 0o755, owner: 0)
        let socket = try UnixSocket.listen(at: path, mode: 0o600)
        try ServiceFolder.give(path, to: client.user)
        return socket
    }

    private init(
        _ listener: UnixSocket, _ client: UInt32, _ options: IdentifierOptions, _ watchdog: Watchdog?,
        _ log: @escaping @Sendable (String) -> Void
    ) throws {
        (self.listener, self.client, self.options, self.watchdog, self.log) = (listener, client, options, watchdog, log)
        folders = EntitlementFolders(options.entitlements.isEmpty ? EntitlementFolders.usual : options.entitlements)
        anchorGroup = try AnchorGroup.find(options.anchorGroup)
        epoll = try Epoll()
        try epoll.add(listener.descriptor, for: .readable, token: Token.listener)
        if let lifeline = options.lifeline { try epoll.add(lifeline.descriptor, for: .readable, token: Token.lifeline) }
    }

    private func run() throws(SystemError) {
        while !isEnding {
            try epoll.wait(deadline: .after(milliseconds: Watchdog.interval)) { token, _ in
                switch token {
                case Token.listener: accept()
                case Token.lifeline: isEnding = true
                default: hear(token)
                }
            }
            watchdog?.beat()
            endIfStuck()
            read()
        }
    }

    /// A thread that a caller's file system holds up is given back by the end of the process alone; the next one starts
    /// without any. One user has few of them: it takes hundreds of users who all hold up theirs.
    private func endIfStuck() {
        guard inspections.isExhausted else { return }
        log("the files of too many programs are not read in time; the identifier starts again")
        _exit(EXIT_FAILURE)
    }

    /// Has the channels read that have come. Where there can be no further thread now, one waits, and the others are
    /// read all the same.
    private func read() {
        while let session = unread.first {
            do throws(SystemError) { _ = try Thread(named: "identifier") { session.serve() } } catch {
                return log("a daemon's questions wait: \(error)")
            }
            unread.removeFirst()
        }
    }

    private func accept() {
        do throws(SystemError) {
            guard let connection = try listener.accept() else { return }
            let user = try PeerNumbers(of: connection).user
            guard user == client, masters.count < Self.mostMasters else {
                throw SystemError(code: EACCES, call: "accept", advice: "refused a connection of user \(user)")
            }
            try epoll.add(connection.descriptor, for: .readable, token: nextToken)
            masters[nextToken] = connection
            nextToken += 1
        } catch { log("\(error)") }
    }

    private func hear(_ token: UInt64) {
        guard let master = masters[token] else { return }
        do throws(SystemError) {
            guard let (owner, channel) = try IdentifierHandover.receive(from: master) else { return }
            unread.append(IdentifierSession(channel, callers(of: owner), inspections))
        } catch {
            if error.code != EPIPE { log("\(error)") }
            masters[token] = nil
        }
    }

    /// Says of the callers of one keychain alone who they are.
    private func callers(of owner: KeychainOwner) -> CallerIdentifier {
        let rules = IdentityRules(owner.servedCallers, anchorGroup: anchorGroup)
        return CallerIdentifier(
            rules, folders: folders, signatures: signatures, refresh: Keychaind.ownPrograms(), log: log)
    }
}

extension KeychainOwner {
    /// The owner of its keychain.
    var servedCallers: ServedCallers {
        switch self {
        case .user(let user): .user(user)
        case .system: .system
        }
    }
}
