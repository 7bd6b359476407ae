import CLinux
import Glibc

/// Signals as a descriptor, for an event loop (signalfd(2)). They are blocked until the object is gone.
package final class SignalDescriptor {
    package let descriptor: FileDescriptor
    /// The signals that were blocked before.
    let before: sigset_t

    /// - Throws: `SystemError` of `signalfd`: too many open files.
    package init(_ numbers: [CInt]) throws(SystemError) {
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        for number in numbers { unsafe sigaddset(&signals, number) }
        descriptor = FileDescriptor(
            owning: try retrying("signalfd") { unsafe clinux_signal_descriptor(&signals) })
        unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
        self.before = before
    }

    deinit {
        var before = before
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
    }

    /// The next pending signal; nil when there is none. A signal of the kernel's went to all processes of the
    /// terminal's foreground.
    package func next() -> (signal: CInt, isOfKernel: Bool)? {
        var isOfKernel: CInt = 0
        let signal = unsafe clinux_next_signal(descriptor.number, &isOfKernel)
        return signal > 0 ? (signal, isOfKernel != 0) : nil
    }
}

extension CurrentProcess {
    /// Ends this process by a signal, with its default action, as another process was ended.
    package static func die(of number: CInt) -> Never {
        var signals = sigset_t()
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, number)
        signal(number, SIG_DFL)
        raise(number)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        // A signal that ends nothing here: the status by which shells tell it.
        exit(128 + number)
    }

    /// Stops this process until another continues it.
    package static func stop() { raise(SIGSTOP) }

    /// Stops this process as Control-Z does, also where the signal is watched. The kernel leaves a process running that
    /// no shell could continue.
    package static func suspend() {
        var (signals, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&signals)
        unsafe sigaddset(&signals, SIGTSTP)
        let handler = signal(SIGTSTP, SIG_DFL)
        raise(SIGTSTP)
        unsafe pthread_sigmask(SIG_UNBLOCK, &signals, &before)
        unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
        signal(SIGTSTP, handler)
    }

    /// Lets the ends of children be seen, where this process has inherited that they are not.
    package static func watchChildren() { signal(SIGCHLD, SIG_DFL) }

    /// Writing into a pipe that nobody reads fails and does not end this process.
    package static func ignoreBrokenPipes() { signal(SIGPIPE, SIG_IGN) }
}
