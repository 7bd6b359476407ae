import Glibc
import LinuxSystem

/// Tells a person at a terminal that a long task goes on and how far it has come, once it has taken a while.
package final class Progress {
    private let stop: Wakeup
    private let thread: Thread
    private let state: State

    /// How far the task has come, for the thread that tells it.
    private final class State: Sendable { let text = Lock("") }

    /// Begins to count; nil when there is no terminal to tell it on.
    package init?(_ task: String, _ session: Session) {
        guard session.diagnostics.isTerminal, let stop = try? Wakeup() else { return nil }
        session.flush()
        let (terminal, interval) = (session.diagnostics.descriptor, session.progressInterval)
        let state = State()
        let thread = try? Thread(named: "progress") { Self.tick(task, state, terminal, every: interval, until: stop) }
        guard let thread else { return nil }
        (self.stop, self.thread, self.state) = (stop, thread, state)
    }

    /// Says how far the task has come.
    package func show(_ text: String) { state.text.withLock { $0 = text } }

    /// Stops, and leaves the line of the terminal as it was.
    package func end() {
        stop.signal()
        thread.join()
    }

    private static func tick(
        _ task: String, _ state: State, _ terminal: FileDescriptor, every interval: Int, until stop: Wakeup
    ) {
        let start = Clock.monotonicNanoseconds
        var hasShown = false
        while !isStopped(stop, within: interval) {
            let (text, seconds) = (state.text.withLock { $0 }, (Clock.monotonicNanoseconds - start) / 1_000_000_000)
            show("\r\(task): \(text.isEmpty ? "" : text + ", ")\(seconds) s", terminal)
            hasShown = true
        }
        if hasShown { show("\r\u{1B}[K", terminal) }
    }

    private static func isStopped(_ stop: Wakeup, within milliseconds: Int) -> Bool {
        do {
            try stop.descriptor.wait(for: .readable, deadline: .after(milliseconds: milliseconds))
            return true
        } catch { return error.code != ETIMEDOUT }
    }

    /// A sign of life that cannot be shown is none that anybody waits for.
    private static func show(_ text: String, _ terminal: FileDescriptor) {
        try? terminal.writeFully(Array(text.utf8).span)
    }
}
