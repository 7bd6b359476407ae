import CLinux
import Glibc

/// Waits for signals on a thread, so that no code runs inside of a signal handler.
///
/// It blocks the signals in the thread that makes it and in those that this thread starts. Programs that are started
/// inherit the block.
package struct SignalWaiter: Sendable {
    private let signals: sigset_t

    /// Blocks the signals. Must be called before the first thread starts.
    package init(_ numbers: [CInt]) {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        self.signals = signals
    }

    /// Waits for the next of the signals.
    ///
    /// - Returns: its number; nil when the deadline passed first.
    package func wait(deadline: Deadline = .never) -> CInt? {
        var (signals, signal) = (signals, CInt(-1))
        repeat {
            guard let left = deadline.remainingNanoseconds else {
                signal = unsafe sigwaitinfo(&signals, nil)
                continue
            }
            var limit = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            signal = unsafe sigtimedwait(&signals, nil, &limit)
        } while signal < 0 && errno == EINTR
        return signal > 0 ? signal : nil
    }
}
