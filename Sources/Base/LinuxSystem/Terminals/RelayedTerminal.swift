import CLinux
import Glibc

/// A pseudo-terminal that stands between a program and the terminal of its user (pty(7)).
package final class RelayedTerminal {
    /// The side of the program, closed on exec; nil once it was released.
    package private(set) var program: FileDescriptor?
    /// The side of this process.
    package let own: FileDescriptor
    private let outer: FileDescriptor
    private var settings: termios?

    /// Makes one with the size and the settings of a terminal.
    ///
    /// - Throws: `SystemError` of `openpty`, `tcgetattr` or `fcntl`.
    package init(before outer: FileDescriptor) throws(SystemError) {
        var (settings, size) = (termios(), winsize())
        _ = try retrying("tcgetattr") { unsafe tcgetattr(outer.number, &settings) }
        _ = try retrying("ioctl") { unsafe ioctl(outer.number, UInt(TIOCGWINSZ), &size) }
        var (own, program): (CInt, CInt) = (-1, -1)
        _ = try retrying("openpty") { unsafe openpty(&own, &program, nil, &settings, &size) }
        (self.own, self.outer) = (FileDescriptor(owning: own), outer)
        self.program = FileDescriptor(owning: program)
        for side in [own, program] { _ = try retrying("fcntl") { fcntl(side, F_SETFD, FD_CLOEXEC) } }
    }

    deinit { restore() }

    /// Hands every key of the outer terminal on as it is pressed: the program's terminal edits lines and makes signals.
    /// Nothing happens for a background job, which the kernel would stop for it.
    ///
    /// - Returns: whether keys are to be read from the outer terminal.
    package func takeKeys() -> Bool {
        var now = termios()
        guard tcgetpgrp(outer.number) == getpgrp(), unsafe tcgetattr(outer.number, &now) == 0 else { return false }
        var raw = now
        unsafe cfmakeraw(&raw)
        guard unsafe tcsetattr(outer.number, TCSANOW, &raw) == 0 else { return false }
        settings = now
        return true
    }

    /// Gives the outer terminal the settings that it had.
    package func restore() {
        guard var before = settings else { return }
        settings = nil
        _ = unsafe tcsetattr(outer.number, TCSADRAIN, &before)
    }

    /// Closes the side of the program here: reading ends when the last process that has it is gone.
    package func releaseProgramSide() { program = nil }

    /// Gives the program's terminal the size that the outer one has now.
    package func adoptSize() {
        var size = winsize()
        guard unsafe ioctl(outer.number, UInt(TIOCGWINSZ), &size) == 0 else { return }
        _ = unsafe ioctl(own.number, UInt(TIOCSWINSZ), &size)
    }
}
