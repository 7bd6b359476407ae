import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Serves many connections on one thread: it reads, answers, and never waits for anything but the next event.
///
/// Each turn takes at most one request of each connection and a few of each program, so that nobody who sends many
/// keeps the others waiting: what is beyond that waits its turn (``FairQueue``).
/// Only its own thread touches it once it runs, which is what makes it safe to send there.
final class EventLoop: @unchecked Sendable {
    let limits: ServerLimits
    let log: ServerLog
    private(set) var router: RequestRouter
    /// Where all connections read into, and where all answers are written, one after the other.
    let room = SecretBytes(count: 64 << 10)
    var writer = ResponseWriter()
    var sessions: [UInt64: ClientSession] = [:]
    /// Connections whose next request is due in a later turn.
    var queued = FairQueue<ClientSession>()
    /// How many.
    var queuedCount = 0
    /// The number of the turn.
    var turns: UInt64 = 0
    /// When the loop last looked for something to do.
    var now = Clock.monotonicNanoseconds
    var stalling: Set<UInt64> = []
    /// Connections whose program was too fast, and when the first of them is looked at again.
    var paused: Set<UInt64> = []
    var nextResumption = Deadline.never
    /// Bytes that all connections hold.
    var held = 0
    /// Whose they are, and the connections.
    var claimants: Claimants
    /// Connections beyond a share.
    var excess = 0
    /// The processes behind the connections, and how many each has.
    private var processes: [ObjectIdentifier: Int] = [:]
    /// The most connections, and bytes, since memory was given back last.
    private var peak = (connections: 0, held: 0)
    private let arrived: @Sendable (CallerIdentity) -> Void
    private let files: ForeignFiles
    /// How often lines are written that connections cause.
    var rateLimits = LogPaces()
    let epoll: Epoll

    private var spin = AdaptiveSpin()
    private var wasBusy = false
    private let connectionCounter: ConnectionCounter
    private var listeners: [WatchedSource]
    private var isAccepting = false
    private var nextToken = Token.firstSession
    private var nextSweep = Deadline.never
    /// When the loop ends at the latest; never, as long as nobody has asked it to.
    private var end = Deadline.never

    private enum Token {
        static let mailbox: UInt64 = 0
        static let firstListener: UInt64 = 1
        static let firstSession: UInt64 = 256
    }

    /// - Throws: `SystemError` when there are too many open files.
    init(
        _ router: RequestRouter, on listeners: [any ConnectionSource], limits: ServerLimits,
        connectionCounter: ConnectionCounter, files: ForeignFiles,
        _ claimants: Claimants, arrived: @escaping @Sendable (CallerIdentity) -> Void, log: @escaping ServerLog
    ) throws(SystemError) {
        (self.router, self.limits, self.connectionCounter) = (router, limits, connectionCounter)
        (self.claimants, self.arrived, self.files) = (claimants, arrived, files)
        self.listeners = listeners.map { WatchedSource($0) }
        self.log = log
        // As many as are ready are seen at once: who comes after a crowd is not found a turn later for each hundred of
        // it.
        epoll = try Epoll(capacity: 1024)
        self.router.admit = { [unowned self] caller, session in admit(caller, session) }
        try epoll.add(router.mailbox.descriptor, for: .readable, token: Token.mailbox)
        try startAccepting()
    }

    /// Runs until the mailbox says to stop and what was begun is answered.
    func run() {
        while end == .never || !(sessions.isEmpty || end.hasPassed) { turn() }
        for session in sessions.values { close(session) }
        router.requestReader.endTransaction()
    }

    private func turn() {
        turns += 1
        // Mail that arrives meanwhile is due in the next turn.
        let due = min(queuedCount, limits.turn)
        if due == 0 { waitForEvents() } else { _ = poll(until: .now) }
        for _ in 0..<due { serveNext() }
        if nextResumption.hasPassed { resume() }
        if nextSweep.hasPassed { sweep() }
        router.requestReader.endIfOutdated()
    }

    /// A client that has just been answered often asks again at once.
    private func waitForEvents() {
        if wasBusy, spin.spin(until: { poll(until: .now) }) { return }
        router.requestReader.endTransaction()
        wasBusy = poll(until: min(nextSweep, nextResumption, end))
    }

    /// Handles what happens up to the deadline; whether anything did.
    private func poll(until deadline: Deadline) -> Bool {
        let (start, lookedAtAll) = (Clock.monotonicNanoseconds, isAccepting)
        now = start
        // The set belongs to this thread alone, so there is nothing about the wait that could fail.
        let count = (try? epoll.wait(deadline: deadline) { handle($0, $1) }) ?? epoll.capacity
        if lookedAtAll, count < epoll.capacity {
            for index in listeners.indices { listeners[index].looked(from: start) }
        }
        return count > 0
    }

    private func handle(_ token: UInt64, _ readiness: Readiness) {
        switch token {
        case Token.mailbox: openMailbox()
        case ..<Token.firstSession: accept(Int(token - Token.firstListener))
        default:
            if let session = sessions[token] { handle(session, readiness) }
        }
    }

    private func openMailbox() {
        let content = router.mailbox.empty()
        for answer in content.answers {
            if let session = sessions[answer.session] { deliver(answer, to: session) }
        }
        for introduction in content.introductions {
            if let session = sessions[introduction.session] { introduce(introduction.outcome, to: session) }
        }
        if content.isStopped, end == .never { stop() }
    }

    /// Reads nothing more. A request that was not read yet stays in its socket, which tells the client (by ECONNRESET)
    /// that nobody performed it.
    private func stop() {
        end = .after(milliseconds: min(limits.stall, limits.ending))
        stopAccepting()
        listeners = []
        for session in sessions.values {
            // Callers that wait for a person learn at once that they wait in vain.
            router.withdraw(session)
            session.isEnding = true
            settle(session)
        }
    }
}

// MARK: - Connections come and go

extension EventLoop {
    private func accept(_ index: Int) {
        guard isAccepting else { return }
        do throws(SystemError) {
            // All other waiting connections are found ready in the next turn, so a flood of them does not delay the
            // others.
            if let socket = try listeners[index].accept() { try open(socket) }
        } catch {
            // A source that has ended says so itself.
            let line = "no connection can be accepted for now: \(error)"
            if error.code != EPIPE, let line = rateLimits.admit(line, of: .max) { log(line) }
            pauseAccepting()
        }
    }

    private func open(_ socket: UnixSocket) throws(SystemError) {
        let peer = try PeerNumbers(of: socket)
        let caller = router.greet(socket)
        let claimant = caller.map { claimants.claimant(of: $0.identity) } ?? claimants.claimant(of: peer)
        let session = ClientSession(
            token: nextToken, socket: socket, peer, claimant, files, isStranger: isStranger(peer.user), at: now)
        guard settleIn(session) else { return }
        try epoll.add(socket.descriptor, for: session.interest, token: session.token)
        nextToken += 1
        sessions[session.token] = session
        connectionCounter.arrive()
        if let caller { note(caller, of: session) }
    }

    /// Gives a connection its place, or one among those that are told that there is none; false when there is none
    /// there either.
    private func settleIn(_ session: ClientSession) -> Bool {
        let claimant = session.claimant
        let isWithinShare =
            claimant.connections < limits.connectionsOfProgram && isWithinShare(claimant.user)
        session.excess = !isWithinShare ? .beyondShare("connections") : !hasRoom(for: claimant) ? .noConnection : nil
        guard session.isExcess else {
            claimant.connections += 1
            return true
        }
        guard claimant.excess < limits.excessOfProgram, excess < limits.excess else { return false }
        claimant.excess += 1
        excess += 1
        // It is to ask soon, and to go.
        limitTime(of: session)
        return true
    }

    /// Has a connection closed soon that is beyond a share.
    private func limitTime(of session: ClientSession) {
        session.stall = .after(milliseconds: limits.excessTime)
        stalling.insert(session.token)
        scheduleSweep()
    }

    /// Whether others may have connected than those whose keychain it is.
    private func isStranger(_ user: UInt32) -> Bool { limits.connectionsOfUser < limits.connections && user != 0 }

    /// Whether a user may have another connection.
    private func isWithinShare(_ user: UInt32) -> Bool {
        guard isStranger(user) else { return true }
        return claimants.connections(of: user) < limits.connectionsOfUser
    }

    /// Whether there is room for another connection of a program, which is made if need be.
    private func hasRoom(for claimant: Claimant) -> Bool {
        if isSpacious(for: claimant) { return true }
        makeWay(for: claimant)
        return isSpacious(for: claimant)
    }

    private func isSpacious(for claimant: Claimant) -> Bool {
        sessions.count - excess < limits.connections && sessions.count + processes.count < limits.files
            && claimant.turn.hasRoom(within: limits)
    }

    /// Closes connections that are idle, or owe the rest of their first frame: of the program that has most of them, if
    /// it has more than the one that comes; else those that have been idle for long. Their clients connect again when
    /// they need to.
    private func makeWay(for claimant: Claimant) {
        let closable = sessions.values.filter { session in
            session.owesAll && !session.isExcess && claimant.turn.competes(with: session.claimant.turn, within: limits)
        }
        let oldest = now - min(now, limits.idle * 1_000_000_000)
        let most = closable.lazy.map(\.claimant).max { $0.connections < $1.connections }
        let many = most.map { $0.connections > claimant.connections + 1 } ?? false
        let chosen = closable.filter { many ? $0.claimant === most : $0.isIdle && $0.lastServed < oldest }
        // Several at a time: to look through all costs more than to close one.
        let count = max(1, chosen.count / 16)
        for session in chosen.sorted(by: { $0.lastServed < $1.lastServed }).prefix(count) { close(session) }
    }

    /// It has become known whose a connection is.
    private func admit(_ caller: IdentifiedCaller, _ session: ClientSession) {
        let claimant = claimants.claimant(of: caller.identity)
        if claimant !== session.claimant { move(session, to: claimant) }
        note(caller, of: session)
    }

    private func note(_ caller: IdentifiedCaller, of session: ClientSession) {
        session.caller = caller
        processes[ObjectIdentifier(caller.process), default: 0] += 1
        arrived(caller.identity)
    }

    /// A connection counts for its program from now on, and no longer for its process.
    private func move(_ session: ClientSession, to claimant: Claimant) {
        let process = session.claimant
        process.held -= session.counted
        claimant.held += session.counted
        session.claimant = claimant
        if session.isExcess {
            process.excess -= 1
            claimant.excess += 1
            return
        }
        process.connections -= 1
        session.excess = excess(of: claimant, for: session)
        guard !session.isExcess else {
            claimant.excess += 1
            excess += 1
            limitTime(of: session)
            return
        }
        claimant.connections += 1
    }

    /// The refusal that keeps a program from having one of the existing connections.
    private func excess(of claimant: Claimant, for session: ClientSession) -> Refusal? {
        if claimant.connections >= limits.connectionsOfProgram { return .beyondShare("connections") }
        if claimant.turn.hasRoom(within: limits) { return nil }
        // It is not the one to be closed.
        session.excess = .noConnection
        makeWay(for: claimant)
        return claimant.turn.hasRoom(within: limits) ? nil : .noConnection
    }

    /// Forgets a connection, which closes it.
    func close(_ session: ClientSession) {
        guard sessions.removeValue(forKey: session.token) != nil else { return }
        session.abandon()
        router.withdraw(session)
        router.forgetWatches(of: session)
        stalling.remove(session.token)
        paused.remove(session.token)
        notePeak()
        held -= session.counted
        session.claimant.held -= session.counted
        if session.isExcess {
            session.claimant.excess -= 1
            excess -= 1
        } else {
            session.claimant.connections -= 1
        }
        if let process = session.caller.map({ ObjectIdentifier($0.process) }), let count = processes[process] {
            processes[process] = count > 1 ? count - 1 : nil
        }
        connectionCounter.leave()
        if hasShrunk { giveBack(after: session.claimant) }
    }

    private func notePeak() {
        peak = (max(peak.connections, sessions.count + 1), max(peak.held, held))
    }

    /// Whether so much was there and is not any more that its memory is worth giving back.
    private var hasShrunk: Bool {
        peak.connections > 1024 && sessions.count < peak.connections / 4
            || peak.held > 4 << 20 && held < peak.held / 4
    }

    private func giveBack(after claimant: Claimant) {
        peak = (sessions.count, held)
        router.tidy(after: claimant)
    }

    /// The listener stays ready while nobody accepts, so it is left out until the next sweep.
    private func pauseAccepting() {
        stopAccepting()
        scheduleSweep()
    }

    private func startAccepting() throws(SystemError) {
        for (index, listener) in listeners.enumerated() {
            try epoll.add(
                listener.source.descriptor, for: .readable, token: Token.firstListener + UInt64(index))
        }
        isAccepting = true
    }

    private func stopAccepting() {
        for listener in listeners where isAccepting { try? epoll.remove(listener.source.descriptor) }
        isAccepting = false
    }
}

// MARK: - Time

extension EventLoop {
    /// Looks for connections that held something up for too long. A sweep now and then costs less than a timer for
    /// each.
    private func sweep() {
        nextSweep = .never
        for session in stalling.compactMap({ sessions[$0] }) where session.stall?.hasPassed == true {
            if !session.isExcess {
                note("closed a connection that left a frame unfinished or its answers unread", of: session)
            }
            close(session)
        }
        if !isAccepting, !listeners.isEmpty { try? startAccepting() }
        if !stalling.isEmpty { scheduleSweep() }
    }

    func scheduleSweep() {
        let time = min(limits.stall, excess > 0 ? limits.excessTime : .max)
        nextSweep = min(nextSweep, .after(milliseconds: max(1, time / 4)))
    }
}
