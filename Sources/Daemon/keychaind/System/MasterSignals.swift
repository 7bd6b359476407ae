import Glibc
import LinuxSystem

/// What ends the master: a signal, or the end of the enclave's listener.
struct MasterSignals {
    private var signals = sigset_t()

    /// Blocks the signals; to be made before the first thread.
    init() {
        unsafe sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP] { unsafe sigaddset(&signals, signal) }
        unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits in the background.
    ///
    /// - Returns: readable from then on.
    /// - Throws: `SystemError`: too many open files or threads.
    func await(orEndOf process: ChildProcess?) throws(SystemError) -> Wakeup {
        let end = try Wakeup()
        _ = try Thread(named: "master-signals") { [signals] in
            var (signals, signal) = (signals, CInt(0))
            unsafe sigwait(&signals, &signal)
            end.signal()
        }
        guard let process else { return end }
        let hasEnded = try process.endDescriptor()
        _ = try Thread(named: "master-enclave") {
            try? hasEnded.wait(for: .readable, deadline: .never)
            end.signal()
        }
        return end
    }
}
