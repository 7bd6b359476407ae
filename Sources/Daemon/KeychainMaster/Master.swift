import Glibc
package import KeychainWire
package import LinuxSystem

/// The front of the system service: it accepts connections and hands each to the daemon of its user, which it starts
/// when there is none.
///
/// It reads nothing that a client sends, knows no secret and opens no keychain: the kernel's word on who connected is
/// all it goes by, and whether that number is a user's, which it has looked up. Belongs to the thread that runs it.
package final class Master {
    /// A socket that clients connect to.
    package struct Entrance {
        package let socket: UnixSocket
        package let purpose: Purpose

        package init(_ socket: UnixSocket, for purpose: Purpose) { (self.socket, self.purpose) = (socket, purpose) }
    }

    package enum Purpose: String, CaseIterable, Sendable {
        /// Everybody's own keychain.
        case personal = "socket"
        /// The system's keychain.
        case system
        /// Credentials of units, for the service manager.
        case credentials
    }

    /// Starts the daemon of a keychain, which is handed connections over the socket.
    package typealias Starter = (KeychainOwner, UnixSocket) throws(SystemError) -> ChildProcess

    /// Starts the process that looks accounts up, and answers over the socket.
    package typealias AccountLookup = (UnixSocket) throws(SystemError) -> ChildProcess

    private let entrances: [Entrance]
    /// Their queues, in the same order.
    private var queues: [WatchedSource]
    private let start: Starter
    private let log: (String) -> Void
    private let mostUserDaemons: Int
    private let epoll: Epoll
    private var rateLimits = LogPaces()
    /// Nil where every number may have a keychain.
    private let accounts: AccountQueue?
    private let hasKeychain: (UInt32) -> Bool
    /// Nil where daemons identify callers by themselves.
    private let identifier: IdentifierQueue?
    private var userDaemons: [KeychainOwner: UserDaemon] = [:]
    private var byToken: [UInt64: UserDaemon] = [:]
    /// Keychains whose daemons have failed, until one has ended as it should.
    private var failures: [KeychainOwner: DaemonFailure] = [:]
    private var nextToken = Token.firstWard
    private var isEnding = false

    /// A user's daemon has three tokens: its own for its channel, the next ones for its end and its channel to the
    /// identifier.
    private enum Token {
        static let end: UInt64 = 0
        static let firstEntrance: UInt64 = 1
        static let identifier: UInt64 = 62
        static let accounts: UInt64 = 63
        static let firstWard: UInt64 = 64
        static let perWard: UInt64 = 3
    }

    /// The kernel's name for a user that it cannot name here: one of another namespace. Such a user has no keychain.
    /// All numbers without an account share one entry in the log, as a user has thousands of them.
    private static let unknownUser: UInt32 = 65534
    /// The maximum number of connections that one turn accepts at an entrance.
    private static let mostOfTurn = 64

    /// - Parameters:
    ///   - mostUserDaemons: how many keychains may be open at once. The master refuses connections to more until one is
    ///     closed.
    ///   - clerk: starts the process that says over a socket which numbers are accounts' (`AccountQueue`).
    ///   - longestLookup: how long a look-up may take: milliseconds.
    ///   - hasKeychain: whether a number has a keychain already, which it then keeps while its account cannot be looked
    ///     up.
    ///   - identifier: where the process listens that identifies callers for the daemons; nil where they do it by
    ///     themselves.
    ///   - log: takes a line about what was refused or went wrong.
    /// - Throws: `SystemError` of `epoll`.
    package init(
        _ entrances: [Entrance], mostUserDaemons: Int = 1024, start: @escaping Starter, clerk: AccountLookup? = nil,
        longestLookup: Int = 5000, hasKeychain: @escaping (UInt32) -> Bool = { _ in false }, identifier: String? = nil,
        log: @escaping (String) -> Void
    ) throws(SystemError) {
        (self.entrances, self.mostUserDaemons, self.start, self.log) = (entrances, mostUserDaemons, start, log)
        self.hasKeychain = hasKeychain
        // The service manager is known by its user alone.
        queues = entrances.map {
            WatchedSource(DoorSource(socket: $0.socket), needsSenders: $0.purpose != .credentials)
        }
        let epoll = try Epoll(capacity: 64)
        self.epoll = epoll
        accounts = clerk.map {
            AccountQueue($0, longestLookup: longestLookup, watchedBy: epoll, token: Token.accounts)
        }
        self.identifier = identifier.map {
            IdentifierQueue($0, watchedBy: epoll, token: Token.identifier, log: log)
        }
        for (index, entrance) in entrances.enumerated() {
            let token = Token.firstEntrance + UInt64(index)
            try epoll.add(entrance.socket.descriptor, for: .readable, token: token)
        }
    }

    /// Serves until the descriptor is readable; then the daemons finish what they have, and all of them have ended on
    /// return.
    ///
    /// - Parameter watchdog: told in every turn that this one goes on.
    /// - Throws: `SystemError` of `epoll`.
    package func run(until end: FileDescriptor, watchdog: Watchdog? = nil) throws(SystemError) {
        try epoll.add(end, for: .readable, token: Token.end)
        while !isEnding || !userDaemons.isEmpty {
            noteNobody()
            let start = Clock.monotonicNanoseconds
            let longest = watchdog == nil ? Deadline.never : .after(milliseconds: Watchdog.interval)
            let count = try epoll.wait(deadline: min(deadline, longest)) { handle($0, $1, end) }
            watchdog?.beat()
            introduce()
            if !isEnding { startAgain() }
            while let (question, answer) = accounts?.conclude() { admit(question, answer) }
            if !isEnding, count < epoll.capacity {
                for index in queues.indices { queues[index].looked(from: start) }
            }
            // Its end is seen in the next turn.
            for userDaemon in userDaemons.values where userDaemon.deadline.hasPassed { endByForce(userDaemon) }
        }
    }

    /// Ends a daemon by force: one that has stopped, or does not end by itself.
    private func endByForce(_ userDaemon: UserDaemon) {
        if userDaemon.isSilent {
            note("the daemon of keychain \(userDaemon.owner) has stopped, and is ended", of: userDaemon.owner.user ?? 0)
            userDaemon.letGo()
        }
        userDaemon.process.kill()
    }

    /// Notes that the entrances are empty, if they are. The next connection was then made later, and its process is
    /// known if it was here before. A wait that ends with a connection does not say when it came.
    private func noteNobody() {
        guard !isEnding else { return }
        let start = Clock.monotonicNanoseconds
        let sockets = entrances.map(\.socket.descriptor)
        if (try? FileDescriptor.waitForAny(of: sockets, deadline: .now)) != nil { return }
        for index in queues.indices { queues[index].looked(from: start) }
    }

    /// When something is to be done although nothing comes.
    private var deadline: Deadline {
        let queues = [accounts?.deadline ?? .never, isEnding ? .never : identifier?.deadline ?? .never]
        return (userDaemons.values.map(\.deadline) + failures.values.map(\.nextStart) + queues).min() ?? .never
    }

    /// Gives channels to all daemons that have none: the identifier is new, theirs has ended, or it could not be done
    /// before.
    private func introduce() {
        guard !isEnding, let identifier, identifier.isDue() else { return }
        for userDaemon in userDaemons.values where userDaemon.identifier == nil { introduce(userDaemon) }
    }

    private func introduce(_ userDaemon: UserDaemon) {
        guard let identifier, let channel = identifier.channel(of: userDaemon.owner) else { return }
        do throws(SystemError) {
            // The kernel tells of a hang-up without being asked for it.
            try epoll.add(channel.descriptor, for: [], token: userDaemon.token + 2)
            userDaemon.use(identifier: channel)
            watch(userDaemon)
        } catch { identifier.tryAgain() }
    }

    /// A daemon's channel to the identifier has hung up. The daemon may have it still.
    private func loseIdentifier(of userDaemon: UserDaemon) {
        guard let channel = userDaemon.identifier else { return }
        try? epoll.remove(channel.descriptor)
        userDaemon.loseIdentifier()
        identifier?.tryAgain()
    }

    private func handle(_ token: UInt64, _ readiness: Readiness, _ end: FileDescriptor) {
        switch token {
        case Token.end: finish(end)
        // The turn hears its words at the end.
        case Token.accounts: break
        case Token.identifier: identifier?.lose()
        case ..<Token.firstWard: accept(Int(token - Token.firstEntrance))
        default:
            let part = (token - Token.firstWard) % Token.perWard
            guard let userDaemon = byToken[token - part] else { return }
            switch part {
            case 0: hear(userDaemon, readiness)
            case 1: bury(userDaemon)
            default: loseIdentifier(of: userDaemon)
            }
        }
    }

    private func finish(_ end: FileDescriptor) {
        isEnding = true
        accounts?.close()
        try? epoll.remove(end)
        for entrance in entrances { try? epoll.remove(entrance.socket.descriptor) }
        for userDaemon in userDaemons.values { userDaemon.letGo() }
    }
}

// MARK: - Connections

extension Master {
    /// Accepts what waits at an entrance, up to a limit: the rest of the turn is due too.
    private func accept(_ index: Int) {
        do throws(SystemError) {
            for _ in 0..<Self.mostOfTurn {
                guard let connection = try queues[index].accept() else { return }
                deliver(connection, entrances[index].purpose)
            }
        } catch {
            note("no connection can be accepted for now: \(error)", of: Self.unknownUser)
            // Too many open files: daemons that end give some back.
            usleep(10_000)
        }
    }

    /// Hands a connection to the daemon it is for; one that cannot be handed over is closed, which its client sees.
    private func deliver(_ connection: UnixSocket, _ purpose: Purpose) {
        let user: UInt32
        do throws(SystemError) { user = try PeerNumbers(of: connection).user } catch {
            return note("refused a connection to \(purpose.rawValue): \(error)", of: Self.unknownUser)
        }
        guard let owner = Self.owner(user, purpose) else {
            return note("refused a connection of user \(user) to \(purpose.rawValue)", of: user)
        }
        let kind: ConnectionHandoff.Kind = purpose == .credentials ? .credential : .client
        guard let accounts, case .user = owner, user != 0, userDaemons[owner] == nil else {
            if let arrival = arrival(connection, kind, of: user) { hand(arrival, to: owner) }
            return
        }
        if accounts.isStranger(user) { return refuse(stranger: user) }
        let isKnown = hasKeychain(user)
        guard accounts.mayAsk(about: user, isKnown: isKnown) else {
            return note(
                "refused a connection of user \(user): too many accounts are to be looked up", of: Self.unknownUser)
        }
        guard let arrival = arrival(connection, kind, of: user) else { return }
        accounts.ask(about: user, for: arrival, isKnown: isKnown)
    }

    /// The connection of a user who may wait. Its process is recorded only now: a crowd is refused by its numbers, and
    /// each connection of it must cost less than making it.
    private func arrival(
        _ connection: UnixSocket, _ kind: ConnectionHandoff.Kind, of user: UInt32
    ) -> UserDaemon.Arrival? {
        do throws(SystemError) {
            let noted = ProcessWitness.isNeeded ? try connection.notingPeer() : connection
            return UserDaemon.Arrival(connection: noted, kind: kind, user: user)
        } catch {
            note("refused a connection of user \(user): \(error)", of: user)
            return nil
        }
    }

    /// Goes on with the connections of a user who has been looked up. A look-up that fails is not the same as no
    /// account: users who have a keychain go on using it.
    private func admit(_ question: AccountQueue.Question, _ answer: AccountQueue.Answer) {
        if answer == .yes || answer == .unknown && hasKeychain(question.user) {
            for arrival in question.waiting { hand(arrival, to: .user(question.user)) }
        } else if answer == .no {
            refuse(stranger: question.user)
        } else {
            note("whether user \(question.user) has an account cannot be found out now", of: Self.unknownUser)
        }
    }

    private func refuse(stranger user: UInt32) {
        note("refused a connection of user \(user), who has no account", of: Self.unknownUser)
    }

    private func hand(_ arrival: UserDaemon.Arrival, to owner: KeychainOwner) {
        let crowdedOut: UserDaemon.Arrival?
        if failures[owner]?.isPending ?? false {
            crowdedOut = failures[owner]?.wait(arrival) ?? nil
        } else {
            do throws(SystemError) {
                let userDaemon = try userDaemon(of: owner)
                crowdedOut = userDaemon.take(arrival)
                watch(userDaemon)
            } catch { return note("refused a connection of user \(arrival.user): \(error)", of: arrival.user) }
        }
        guard let user = crowdedOut?.user else { return }
        note("refused a connection of user \(user): too many wait for the daemon of keychain \(owner)", of: user)
    }

    private func hand(_ arrivals: ArrivalQueue, to owner: KeychainOwner) {
        var arrivals = arrivals
        while let arrival = arrivals.take() { hand(arrival, to: owner) }
    }

    /// Has the daemon's channel watched for room as long as something waits for that.
    private func watch(_ userDaemon: UserDaemon) {
        guard let channel = userDaemon.channel, userDaemon.needsRoom != userDaemon.isWatchedForRoom else { return }
        userDaemon.isWatchedForRoom = userDaemon.needsRoom
        // It is in the set, so nothing can fail.
        try? epoll.modify(
            channel.descriptor, for: userDaemon.needsRoom ? [.readable, .writable] : .readable, token: userDaemon.token)
    }

    /// Writes a line that a user has caused, unless there were too many of them.
    private func note(_ line: String, of user: UInt32) {
        if let line = rateLimits.admit(line, of: user) { log(line) }
    }

    /// The owner of the keychain that a user reaches here; nil when none. The daemon decides which users may use the
    /// system's.
    private static func owner(_ user: UInt32, _ purpose: Purpose) -> KeychainOwner? {
        if user == unknownUser { return nil }
        switch purpose {
        case .personal: return .user(user)
        case .system: return .system
        case .credentials: return user == 0 ? .system : nil
        }
    }

    private func userDaemon(of owner: KeychainOwner) throws(SystemError) -> UserDaemon {
        if let userDaemon = userDaemons[owner] { return userDaemon }
        guard userDaemons.count < mostUserDaemons else {
            throw SystemError(code: EAGAIN, call: "posix_spawn", advice: "\(mostUserDaemons) keychains are open")
        }
        failures[owner]?.backoff.begin()
        let userDaemon = try UserDaemon(owner, token: nextToken, start: start)
        nextToken += Token.perWard
        (userDaemons[owner], byToken[userDaemon.token]) = (userDaemon, userDaemon)
        try epoll.add(userDaemon.end, for: .readable, token: userDaemon.token + 1)
        if let channel = userDaemon.channel {
            try epoll.add(channel.descriptor, for: .readable, token: userDaemon.token)
        }
        introduce(userDaemon)
        return userDaemon
    }

    /// A daemon has offered to end, has room for connections, or has gone.
    private func hear(_ userDaemon: UserDaemon, _ readiness: Readiness) {
        // The descriptor leaves the set when it is closed.
        if readiness != .writable, userDaemon.readOffer() { return }
        userDaemon.handOn()
        watch(userDaemon)
    }

    /// Takes leave of a daemon that has ended, and starts the next one for those who wait.
    private func bury(_ userDaemon: UserDaemon) {
        try? epoll.remove(userDaemon.end)
        loseIdentifier(of: userDaemon)
        userDaemon.letGo()
        let code = userDaemon.process.reap(timeout: 0)
        if code != 0 { note("the daemon of keychain \(userDaemon.owner) has failed", of: userDaemon.owner.user ?? 0) }
        (userDaemons[userDaemon.owner], byToken[userDaemon.token]) = (nil, nil)
        if isEnding { return }
        if code == 0 {
            failures[userDaemon.owner] = nil
        } else {
            failures[userDaemon.owner, default: DaemonFailure()].end()
        }
        hand(userDaemon.takeWaiting(), to: userDaemon.owner)
    }

    /// Goes on with the connections that have waited for the daemons of keychains whose last ones failed.
    private func startAgain() {
        for (owner, failure) in failures where failure.isPending && failure.nextStart.hasPassed {
            if let waiting = failures[owner]?.take() { hand(waiting, to: owner) }
        }
    }
}
