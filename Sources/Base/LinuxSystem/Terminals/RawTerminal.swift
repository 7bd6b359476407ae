import Glibc

extension FileDescriptor {
    /// Discards what was typed at a terminal and that nobody has read.
    package func discardTyped() { _ = tcflush(number, TCIFLUSH) }
}

/// A terminal that a program draws on: every key is delivered as it is pressed, and nothing is shown by the kernel.
package final class RawTerminal {
    package let device: FileDescriptor
    private var before: termios?

    package init(_ terminal: Terminal) { device = terminal.device }

    deinit { giveBack() }

    /// Keeps the settings that the terminal has now, for ``giveBack()``.
    ///
    /// - Throws: `SystemError` of `tcgetattr`.
    package func remember() throws(SystemError) {
        var now = termios()
        _ = try retrying("tcgetattr") { unsafe tcgetattr(device.number, &now) }
        before = now
    }

    /// Takes the terminal. Keys that were pressed before are discarded: they were meant for something else.
    ///
    /// - Throws: `SystemError` of `tcgetattr` or `tcsetattr`.
    package func take() throws(SystemError) {
        if before == nil { try remember() }
        var raw = before ?? termios()
        unsafe cfmakeraw(&raw)
        _ = try retrying("tcsetattr") { unsafe tcsetattr(device.number, TCSAFLUSH, &raw) }
    }

    /// Whether the terminal delivers every key as it is pressed. Another process may have given it back meanwhile.
    package var isRaw: Bool {
        var now = termios()
        guard unsafe tcgetattr(device.number, &now) == 0 else { return false }
        return now.c_lflag & tcflag_t(ICANON | ECHO) == 0
    }

    /// Discards the keys that were pressed and that nobody has read.
    package func discardInput() { device.discardTyped() }

    /// Gives the terminal the settings that it had. Keys that nobody has read are discarded. It does so in the
    /// background too: a shell whose job was killed may leave the settings as they are.
    ///
    /// - Parameter keepsSettings: whether the same settings can be given back again.
    package func giveBack(keepsSettings: Bool = false) {
        guard var settings = before else { return }
        if !keepsSettings { before = nil }
        // The kernel stops a background process that does not ignore this signal, or refuses it.
        let handler = signal(SIGTTOU, SIG_IGN)
        defer { signal(SIGTTOU, handler) }
        _ = unsafe tcsetattr(device.number, TCSAFLUSH, &settings)
    }

    /// Rows and columns; nil for a terminal that does not say.
    package var size: (rows: Int, columns: Int)? { device.terminalSize }
}
