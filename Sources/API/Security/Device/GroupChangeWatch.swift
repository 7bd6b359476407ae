internal import Glibc
internal import KeychainClient
package import KeychainModel
internal import KeychainWire
internal import LinuxSystem

/// One thread that asks a keychain for the next numbers of access groups, and keeps each change until it is taken.
package final class GroupChangeWatch: Sendable {
    typealias Signals = AsyncThrowingStream<Void, any Error>.Continuation

    /// The duration of one request in milliseconds. In a program with the keychain inside, it bounds how long the
    /// thread outlives the watch.
    private static let timeout: UInt32 = 5000
    /// The interval before an unreachable keychain is asked again, in milliseconds.
    private static let pause = 1000

    private struct State {
        var seen: [GroupNumber]
        /// The places of groups that have changed and were not taken.
        var changed: [Int] = []
        var isEnded = false
        /// Whether somebody is being called.
        var isCalling = false
    }

    private let state: Monitor<State>
    private let source: KeychainSession.Source
    private let process = CurrentProcess.identifier
    /// Ends the request under way, with which a daemon forgets the watch.
    private let cancellation = RequestCancellation()
    /// The threads of all watches that call somebody now. Two that wait for each other's calls would wait for ever.
    private static let callers = ProcessLocal<Set<UInt>>([])

    /// - Parameter known: the groups, with the numbers that are no news.
    init(_ known: [GroupNumber], _ source: @escaping KeychainSession.Source) {
        (state, self.source) = (Monitor(State(seen: known)), source)
    }

    /// Takes a change; several of a group are one.
    func take() -> KeychainChange? {
        state.update { state in
            guard !state.changed.isEmpty else { return nil }
            return KeychainChange(state.seen[state.changed.removeFirst()])
        }
    }

    /// Starts the thread, which signals that there is something to take.
    func signal(_ signals: Signals) {
        // Changes that were noticed before the keychain refused to tell more are still to be taken.
        signals.onTermination = { [self] termination in if case .cancelled = termination { end() } }
        do throws(Refusal) {
            try start { end in
                if let end { signals.finish(throwing: SecItemError(end)) } else { signals.yield() }
            }
        } catch { signals.finish(throwing: SecItemError(error)) }
    }

    /// Starts the thread, which calls somebody with each change until the watch is ended.
    ///
    /// - Parameter body: gets nil when the keychain refuses to tell more; nothing follows.
    /// - Throws: `errSecNotAvailable` when it cannot be started.
    package func listen(_ body: @escaping @Sendable (KeychainChange?) -> Void) throws(Refusal) {
        try start { [self] end in
            if end != nil { return call { body(nil) } }
            while let change = take() { call { body(change) } }
        }
    }

    /// Ends the watch: nobody is called any more when this returns. A thread that is called itself, by this watch or
    /// another, does not wait for the call under way.
    package func end() {
        // The threads of a forked child's parent are not in the child, and may have left the mutex locked.
        guard CurrentProcess.identifier == process else { return }
        state.update { state in (state.isEnded, state.changed) = (true, []) }
        cancellation.cancel()
        guard !Self.withCallers({ $0.contains(pthread_self()) }) else { return }
        _ = state.wait { $0.isCalling ? nil : () }
    }

    private static func withCallers<Result>(_ body: (inout Set<UInt>) -> Result) -> Result {
        callers.withValue(inChild: { $0 = [] }, body)
    }

    private func call(_ body: () -> Void) {
        let begins = state.update { state in
            state.isCalling = !state.isEnded
            return state.isCalling
        }
        guard begins else { return }
        Self.withCallers { _ = $0.insert(pthread_self()) }
        body()
        Self.withCallers { _ = $0.remove(pthread_self()) }
        state.update { $0.isCalling = false }
    }

    private func start(_ tell: @escaping @Sendable (_ end: Refusal?) -> Void) throws(Refusal) {
        do throws(SystemError) { _ = try Thread(named: "keychain-changes") { [self] in run(tell) } } catch {
            throw Refusal(
                .notAvailable, .unavailable, "thread", "The thread that waits for changes cannot be started: \(error).",
                do: "Let the program have more threads.")
        }
    }

    private func run(_ tell: (_ end: Refusal?) -> Void) {
        while let seen = state.update({ $0.isEnded ? nil : $0.seen }) {
            do throws(Refusal) {
                let watch = GroupWatch(seen, milliseconds: Self.timeout)
                guard case .groups(let numbers) = try source().device(.watchGroups(watch), until: cancellation),
                    numbers.elementsEqual(seen, by: { $0.group.hasBytes(of: $1.group) })
                else { throw .malformed("the numbers of groups") }
                if note(numbers) { tell(nil) }
            } catch {
                // The refusal of a request that was ended says nothing of the keychain.
                if cancellation.isCancelled { return }
                if error.endsWatch { return tell(error) }
                _ = state.wait(deadline: .after(milliseconds: Self.pause)) { $0.isEnded ? () : nil }
            }
        }
    }

    /// Whether there is something new.
    private func note(_ numbers: [GroupNumber]) -> Bool {
        state.update { state in
            let places = numbers.indices.filter { numbers[$0] != state.seen[$0] }
            state.seen = numbers
            guard !state.isEnded else { return false }
            state.changed += places.filter { !state.changed.contains($0) }
            return !places.isEmpty
        }
    }
}

extension KeychainSession {
    typealias Source = @Sendable () throws(Refusal) -> any KeychainConnection

    /// Reaches the keychain of the current task, also from other threads, and whenever it is called.
    static func source() -> Source {
        if let scoped { return { () throws(Refusal) in scoped } }
        return { () throws(Refusal) in try current() }
    }
}

extension Refusal {
    /// Whether to ask again is of no use: the group is not the program's, or the daemon's release is too old.
    fileprivate var endsWatch: Bool { [.missingEntitlement, .param, .unimplemented].contains(status) }
}
