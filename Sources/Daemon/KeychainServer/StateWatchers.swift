import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

/// Those who wait for the device's state to change, or for something else that has a number: any number of them, and
/// two threads that sleep.
///
/// One thread waits for another number. The other answers the watchers that have a change to hear of or whose time is
/// over. A watcher costs its place in a list.
final class StateWatchers: Sendable {
    /// Somebody who has seen the state with a number.
    struct Watcher: Sendable {
        /// Nil for somebody who has not been looked at.
        var epoch: UInt32?
        let deadline: Deadline
        let id: UInt32
        let standing: Standing
        let reply: ReplyAddress
        /// Whether its connection is there.
        let wanted: Wanted
        /// The access groups that it means, of those who watch some.
        var groups: WatchedGroups?
    }

    /// The access groups that a caller watches.
    struct WatchedGroups: Sendable {
        let watch: GroupWatch
        let caller: CallerIdentity
    }

    /// Somebody to answer.
    private struct Due {
        var watcher: Watcher
        /// Whether it is answered also when there is nothing new.
        let isLast: Bool
    }

    /// The rest of an answer.
    typealias Answer = Result<@Sendable (SecretBuffer) -> Void, Refusal>

    private struct State {
        var watchers: [Watcher] = []
        var counts: WatcherCounts
        var epoch: UInt32
        /// The first time that is over; never when nobody waits.
        var earliest = Deadline.never
        /// Whether somebody waits who has something to hear.
        var hasNews = false
        var isClosed = false
    }

    /// The answers to those whose number has changed, one after the other; nil where there is nothing new for
    /// somebody, who waits on unless it is the last look.
    typealias News = @Sendable (any RequestHandler) -> (_ watcher: Watcher, _ isLast: Bool) -> Answer?

    private let state: Monitor<State>
    private let epoch: StateEpoch
    private let name: String
    private let news: News

    /// - Parameters:
    ///   - name: that of the threads.
    ///   - counts: how many may wait.
    init(_ epoch: StateEpoch, named name: String, _ counts: WatcherCounts, news: @escaping News) {
        (self.epoch, self.name, self.news) = (epoch, name, news)
        state = Monitor(State(counts: counts, epoch: epoch.value))
    }

    /// Adds one.
    ///
    /// - Throws: `errSecNotAvailable` when there is no room, or its program has too many.
    func put(_ watcher: Watcher) throws(Refusal) {
        try state.update { state throws(Refusal) in
            guard !state.isClosed else { throw .busy }
            try state.counts.enter(watcher.standing)
            Self.add(watcher, to: &state)
        }
    }

    /// Forgets those of a connection that was closed. Those that are looked at are forgotten after that.
    func forget(_ wanted: Wanted) {
        state.update { state in
            let gone = state.watchers.filter { $0.wanted === wanted }
            state.watchers.removeAll { $0.wanted === wanted }
            for watcher in gone { state.counts.leave(watcher.standing) }
        }
    }

    private static func add(_ watcher: Watcher, to state: inout State) {
        state.watchers.append(watcher)
        state.earliest = min(state.earliest, watcher.deadline)
        if watcher.epoch != state.epoch { state.hasNews = true }
    }

    /// Those who watch the device, those who wait for something to carry, and those who watch access groups.
    static func make(
        _ handler: any RequestHandler, _ limits: ServerLimits
    ) -> (device: StateWatchers, circle: StateWatchers, groups: StateWatchers) {
        (ofDevice(handler.stateEpoch, limits), ofCircle(handler.circleEpoch), ofGroups(handler.groupEpoch, limits))
    }

    private static func ofDevice(_ epoch: StateEpoch, _ limits: ServerLimits) -> StateWatchers {
        let counts = WatcherCounts(capacity: limits.watchers, ofProgram: limits.watchersOfProgram)
        return StateWatchers(epoch, named: "keychain-state", counts) { handler in
            let news = Answer { () throws(Refusal) in
                let news = try handler.news()
                return { news.append(to: $0) }
            }
            return { _, _ in news }
        }
    }

    private static func ofGroups(_ epoch: StateEpoch, _ limits: ServerLimits) -> StateWatchers {
        let counts = WatcherCounts(
            capacity: limits.groupWatchers, ofTurn: limits.groupWatchersOfTurn, ofProgram: limits.groupWatchersOfProgram
        )
        return StateWatchers(epoch, named: "keychain-groups", counts) { handler in
            { watcher, isLast in watcher.groups?.answer(from: handler, isLast) }
        }
    }

    /// One program carries, and a few look at it.
    private static func ofCircle(_ epoch: StateEpoch) -> StateWatchers {
        let counts = WatcherCounts(capacity: carriers, ofProgram: carriers / 4)
        return StateWatchers(epoch, named: "keychain-circle", counts) { handler in
            let number = handler.circleEpoch.value
            return { _, _ in .success { $0.append(littleEndian: UInt64(number)) } }
        }
    }

    private static let carriers = 64

    /// Starts the threads.
    func start(_ handler: any RequestHandler) throws(SystemError) -> [Thread] {
        let follower = try Thread(named: name) { [self] in follow() }
        do throws(SystemError) {
            return [follower, try Thread(named: "\(name)-news") { [self] in answer(from: handler) }]
        } catch {
            close()
            follower.join()
            throw error
        }
    }

    /// Answers all who still wait, and ends the threads.
    func close() {
        state.update { $0.isClosed = true }
        // Wakes the thread that waits for the enclave.
        epoch.advance()
    }

    private func follow() {
        var seen = state.update { $0.epoch }
        while !state.update({ $0.isClosed }) {
            seen = epoch.wait(while: seen, deadline: .never)
            state.update { state in
                state.epoch = seen
                state.hasNews = true
            }
        }
    }

    private func answer(from handler: any RequestHandler) {
        while let due = nextDue() {
            guard !due.isEmpty else { continue }
            let news = news(handler)
            for due in due {
                if let answer = news(due.watcher, due.isLast) {
                    self.answer(due.watcher, answer)
                } else {
                    // There was nothing new. A change meanwhile has made another number.
                    state.update { state in
                        guard due.watcher.wanted.isSo else { return state.counts.leave(due.watcher.standing) }
                        Self.add(due.watcher, to: &state)
                    }
                }
            }
        }
    }

    private func answer(_ watcher: Watcher, _ answer: Answer) {
        // Before the answer, after which its program may ask again.
        state.update { $0.counts.leave(watcher.standing) }
        let writer = ResponseWriter()
        switch answer {
        case .success(let news): writer.answer(watcher.id, news)
        case .failure(let refusal): writer.refuse(refusal, id: watcher.id)
        }
        watcher.reply.deliver(writer.buffer.finish())
    }

    /// Waits for somebody to answer; may also give nobody. Nil at the end.
    private func nextDue() -> [Due]? {
        let earliest = state.update { $0.earliest }
        let due = state.wait(deadline: earliest) { state -> [Due]? in
            if state.hasNews || state.isClosed || state.earliest.hasPassed { return Self.takeDue(from: &state) }
            // Somebody has come who does not wait as long.
            return state.earliest < earliest ? [] : nil
        }
        // Nobody was due because somebody had just come: who waits is still to be answered.
        if due?.isEmpty ?? true, state.update({ $0.isClosed && $0.watchers.isEmpty }) { return nil }
        return due ?? []
    }

    private static func takeDue(from state: inout State) -> [Due] {
        let (epoch, closed) = (state.epoch, state.isClosed)
        var (due, left): ([Due], [Watcher]) = ([], [])
        for var watcher in state.watchers {
            let isLast = closed || watcher.deadline.hasPassed
            guard isLast || watcher.epoch != epoch else {
                left.append(watcher)
                continue
            }
            watcher.epoch = epoch
            due.append(Due(watcher: watcher, isLast: isLast))
        }
        state.watchers = left
        state.earliest = state.watchers.map(\.deadline).min() ?? .never
        state.hasNews = false
        return due
    }
}

extension StateWatchers.WatchedGroups {
    /// The numbers of the groups; nil when they are those that the caller knows.
    fileprivate func answer(from handler: any RequestHandler, _ isLast: Bool) -> StateWatchers.Answer? {
        do throws(Refusal) {
            let numbers = try handler.numbers(of: watch, for: caller)
            guard isLast || numbers != watch.seen else { return nil }
            return .success { numbers.append(to: $0) }
        } catch { return .failure(error) }
    }
}
