import Glibc
import LinuxSystem

/// The rights that the program gives up, and the signals it handles.
enum AgentHardening {
    /// No core files and no tracing by the same user; no terminal, which would stop a process in the background that
    /// reads from it.
    ///
    /// New privileges are not forbidden here: PAM checks a login's password with a program that has some
    /// (`unix_chkpwd`). Where it does not, ``Confinement`` forbids them.
    ///
    /// - Throws: `SystemError` when one of them cannot be had.
    static func apply() throws(SystemError) {
        try ProcessHardening.forbidDumps()
        try ProcessHardening.raiseLockedMemoryLimit()
        umask(0o077)
        setsid()
        // Pinentries and enclaves may go while they are written to.
        signal(SIGPIPE, SIG_IGN)
    }
}

/// The signals that end the agent. They are blocked in all threads and waited for in one, so that an open question ends
/// as it should, with its terminal as it was.
struct AgentSignals {
    /// Blocks the signals; to be made before the first thread.
    private let signals = SignalWaiter([SIGTERM, SIGINT, SIGHUP])

    /// Calls `end` at the first of these signals, on a thread of its own.
    ///
    /// - Throws: `SystemError` when there is no thread to be had.
    func handle(_ end: @escaping @Sendable () -> Void) throws(SystemError) {
        _ = try Thread(named: "agent-signals") { [signals] in
            _ = signals.wait()
            end()
        }
    }
}
