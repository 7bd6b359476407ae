import Glibc
import LinuxSystem

/// Tells a person at a terminal that a long task goes on, once it has taken a while.
final class Progress {
    private let stop: Wakeup
    private let thread: Thread

    /// Begins to count; nil when there is no terminal to tell it on.
    init?(_ task: String, _ session: Session) {
        guard session.diagnostics.isTerminal, let stop = try? Wakeup() else { return nil }
        session.flush()
        let (terminal, interval) = (session.diagnostics.descriptor, session.progressInterval)
        let thread = try? Thread(named: "progress") { Self.tick(task, terminal, every: interval, until: stop) }
        guard let thread else { return nil }
        (self.stop, self.thread) = (stop, thread)
    }

    /// Stops, and leaves the line of the terminal as it was.
    func end() {
        stop.signal()
        thread.join()
    }

    private static func tick(_ task: String, _ terminal: FileDescriptor, every interval: Int, until stop: Wakeup) {
        let start = Clock.monotonicNanoseconds
        var hasShown = false
        while !isStopped(stop, within: interval) {
            show("\r\(task): \((Clock.monotonicNanoseconds - start) / 1_000_000_000) s", terminal)
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
