import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem

/// Serves many connections on one thread: it reads, answers, and never waits for anything but the next event.
///
/// Each turn takes at most one request of each connection, so that nobody who sends many keeps the others waiting.
/// Only its own thread touches it once it runs, which is what makes it safe to send there.
final class EventLoop: @unchecked Sendable {
    let limits: ServerLimits
    let log: ServerLog
    let router: RequestRouter
    /// Where all connections read into, and where all answers are written, one after the other.
    let room = SecretBytes(count: 64 << 10)
    var writer = ResponseWriter()
    var sessions: [UInt64: ClientSession] = [:]
    /// Connections whose next request is due in the next turn.
    var queued: [ClientSession] = []
    var stalling: Set<UInt64> = []
    /// Connections whose program was too fast, and when the first of them is looked at again.
    var paused: Set<UInt64> = []
    var nextResumption = Deadline.never
    /// Bytes that all connections hold.
    var held = 0
    /// And those of each process.
    var holders = Holders()
    /// How often lines are written that connections cause.
    var paces = LogPaces()
    let epoll: Epoll

    private var shortWait = ShortWait()
    private var wasBusy = false
    private let occupancy: Occupancy
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
        _ router: RequestRouter, on listeners: [any ConnectionSource], limits: ServerLimits, occupancy: Occupancy,
        log: @escaping ServerLog
    ) throws(SystemError) {
        (self.router, self.limits, self.occupancy) = (router, limits, occupancy)
        self.listeners = listeners.map { WatchedSource($0) }
        self.log = log
        epoll = try Epoll(capacity: 128)
        try epoll.add(router.mailbox.descriptor, for: .readable, token: Token.mailbox)
        try startAccepting()
    }

    /// Runs until the mailbox says to stop and what was begun is answered.
    func run() {
        while end == .never || !(sessions.isEmpty || end.hasPassed) { turn() }
        for session in sessions.values { close(session) }
        router.lane.rest()
    }

    private func turn() {
        let due = queued
        queued = []
        if due.isEmpty { waitForEvents() } else { _ = poll(until: .now) }
        for session in due where sessions[session.token] != nil {
            session.isQueued = false
            serve(session) { session throws(BrokenFrame) in try session.input.next() }
        }
        if nextResumption.hasPassed { resume() }
        if nextSweep.hasPassed { sweep() }
        router.lane.dropOutdated()
    }

    /// A client that has just been answered often asks again at once.
    private func waitForEvents() {
        if wasBusy, shortWait.find({ poll(until: .now) }) { return }
        router.lane.rest()
        wasBusy = poll(until: min(nextSweep, nextResumption, end))
    }

    /// Handles what happens up to the deadline; whether anything did.
    private func poll(until deadline: Deadline) -> Bool {
        let (start, lookedAtAll) = (Clock.monotonicNanoseconds, isAccepting)
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

    /// Reads nothing more. A request that was not read yet stays in its socket, which tells the client (by ECONNRESET) that
    /// nobody performed it.
    private func stop() {
        end = .after(milliseconds: limits.stall)
        stopAccepting()
        listeners = []
        for session in sessions.values {
            // Who waits for a person is told at once that he waits in vain.
            router.withdraw(session.conversations.values)
            session.isEnding = true
            settle(session)
        }
    }
}

// MARK: - Connections come and go

extension EventLoop {
    private func accept(_ index: Int) {
        guard isAccepting else { return }
        guard sessions.count < limits.connections else { return pauseAccepting() }
        do throws(SystemError) {
            // Who else waits is found ready in the next turn, so a flood of them does not keep the others waiting.
            if let socket = try listeners[index].accept() { try open(socket) }
        } catch {
            // A source that has ended says so itself.
            if error.code != EPIPE { log("no connection can be accepted for now: \(error)") }
            pauseAccepting()
        }
    }

    private func open(_ socket: UnixSocket) throws(SystemError) {
        let session = try ClientSession(token: nextToken, socket: socket)
        guard isWithinShare(session) else { return }
        try epoll.add(socket.descriptor, for: session.interest, token: session.token)
        nextToken += 1
        sessions[session.token] = session
        occupancy.arrive()
        router.greet(session)
    }

    /// Whether a user may have another connection.
    private func isWithinShare(_ session: ClientSession) -> Bool {
        let user = session.peer.user
        guard limits.connectionsOfUser < limits.connections, user != 0 else { return true }
        return sessions.values.count { $0.peer.user == user } < limits.connectionsOfUser
    }

    /// Forgets a connection, which closes it.
    func close(_ session: ClientSession) {
        guard sessions.removeValue(forKey: session.token) != nil else { return }
        router.withdraw(session.conversations.values)
        stalling.remove(session.token)
        paused.remove(session.token)
        held -= session.counted
        if session.counted > 0 { holders.change(session.holder, by: -session.counted) }
        occupancy.leave()
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
    /// Looks for connections that held something up for too long. A sweep now and then costs less than a timer for each.
    private func sweep() {
        nextSweep = .never
        for session in stalling.compactMap({ sessions[$0] }) where session.stall?.hasPassed == true {
            note("closed a connection that left a frame unfinished or its answers unread", of: session)
            close(session)
        }
        if !isAccepting, !listeners.isEmpty { try? startAccepting() }
        if !stalling.isEmpty { scheduleSweep() }
    }

    func scheduleSweep() {
        if nextSweep == .never { nextSweep = .after(milliseconds: max(1, limits.stall / 4)) }
    }
}
