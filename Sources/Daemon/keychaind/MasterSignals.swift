import Glibc
import LinuxSystem

/// The events that end the master or the supervisor: a signal, or the end of the process that started it.
struct MasterSignals {
    private let signals = SignalWaiter([SIGTERM, SIGINT, SIGHUP])

    /// Blocks the signals; to be made before the first thread.
    init() { signal(SIGPIPE, SIG_IGN) }

    /// Waits in the background.
    ///
    /// - Parameter lifeline: a descriptor whose end counts as well.
    /// - Returns: readable from then on.
    /// - Throws: `SystemError`: too many open files or threads.
    func await(orEndOf lifeline: FileDescriptor? = nil) throws(SystemError) -> Wakeup {
        let end = try Wakeup()
        _ = try Thread(named: "master-signals") { [signals] in
            _ = signals.wait()
            end.signal()
        }
        guard let lifeline else { return end }
        _ = try Thread(named: "master-lifeline") {
            try? lifeline.wait(for: .readable, deadline: .never)
            end.signal()
        }
        return end
    }
}
