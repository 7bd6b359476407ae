import LinuxSystem

/// The program that carries the messages of a pairing, while the command waits. One that is ended too early is started
/// again: the messages are at the place, and it goes on with them.
final class PairingProgram: Sendable {
    private struct State {
        var child: ChildProcess
        /// The command needs it no more.
        var isOver = false
        var hasEnded = false
    }

    private static let mostStarts = 4
    /// Milliseconds: longer than any pairing.
    private static let longestPairing = 660_000

    private let state: Monitor<State>
    private let watch: Thread

    /// - Parameters:
    ///   - start: starts the program.
    ///   - hasGone: is called when it has ended, and does not come back.
    /// - Throws: `SystemError` when it cannot be started.
    init(
        start: @escaping @Sendable () throws(SystemError) -> ChildProcess, hasGone: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let state = Monitor(State(child: try start()))
        self.state = state
        watch = try Thread(named: "pairing") {
            if !Self.follow(state, start) { hasGone() }
            state.update { $0.hasEnded = true }
        }
    }

    /// - Returns: whether the command needs it no more.
    private static func follow(
        _ state: Monitor<State>, _ start: () throws(SystemError) -> ChildProcess
    ) -> Bool {
        for number in 1...mostStarts {
            state.update { $0.child }.reap(timeout: longestPairing)
            let isOver = state.update { $0.isOver }
            guard !isOver, number < mostStarts, let next = try? start() else { return isOver }
            state.update { $0.child = next }
        }
        return false
    }

    /// Waits until it has ended by itself, as it does after the pairing. It takes the messages away before.
    ///
    /// - Parameter milliseconds: after so long it is killed.
    func end(within milliseconds: Int) {
        state.update { $0.isOver = true }
        let hasEnded: Void? = state.wait(deadline: .after(milliseconds: milliseconds)) { $0.hasEnded ? () : nil }
        if hasEnded == nil { state.update { $0.child }.kill() }
        watch.join()
    }
}
