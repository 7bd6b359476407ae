import Glibc

/// A forked child of this process.
package struct ForkedChild {
    private let process: pid_t

    /// Forks a child that runs `body` and ends with its result, or with a signal when it hangs (``patience``).
    package init(_ body: () -> CInt) {
        // Swift hides `fork`, so it is looked up.
        let symbol = unsafe dlsym(nil, "fork")
        let fork = unsafe unsafeBitCast(symbol, to: (@convention(c) () -> pid_t).self)
        // Not computed in the child, which has this thread alone.
        let limit = UInt32(patience / 1000)
        process = fork()
        guard process == 0 else { return }
        // A thread of Dispatch, which tests run on, keeps all signals out, and its child would too.
        var all = sigset_t()
        unsafe sigfillset(&all)
        unsafe pthread_sigmask(SIG_UNBLOCK, &all, nil)
        alarm(limit)
        _exit(body())
    }

    /// Waits for the child to end; its exit code, or minus the signal that ended it.
    package func waitForExit() -> CInt {
        var status: CInt = 0
        unsafe waitpid(process, &status, 0)
        return status & 0x7f == 0 ? status >> 8 & 0xff : -(status & 0x7f)
    }
}
