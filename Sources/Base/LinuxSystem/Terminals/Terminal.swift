import Glibc

/// A terminal for reading secrets from a person.
///
/// Lines are edited here, because the kernel's line editing silently truncates them to 4095 bytes.
package struct Terminal {
    /// A person's answer to a prompt.
    package enum Answer {
        case line(SecretBytes)
        /// Control-C, Control-\, or Control-D on an empty line.
        case canceled
        /// The deadline passed first.
        case timedOut
        /// The interruption of the prompt came first.
        case interrupted
    }

    /// A key that was pressed outside of a prompt.
    package enum Key {
        case enter
        /// Control-C, Control-\ or Escape, or the terminal was closed.
        case cancel
        case other
    }

    /// Readable when keys were pressed.
    package let device: FileDescriptor

    /// Opens the terminal behind `descriptor` for reading and writing, whatever access the descriptor has.
    ///
    /// It need not be the terminal that controls the process.
    ///
    /// - Throws: `SystemError` of `open`; `ENOTTY` when it is not a terminal.
    package init(behind descriptor: FileDescriptor) throws(SystemError) {
        guard descriptor.isTerminal else { throw SystemError(code: ENOTTY, call: "isatty") }
        // Another reader could take the input between poll and read.
        device = try .open("/proc/self/fd/\(descriptor.number)", O_RDWR | O_NOCTTY | O_NONBLOCK)
    }

    /// Takes a terminal that another process has opened for reading and writing, which proves that process's access.
    ///
    /// - Throws: `SystemError` of `fcntl`; `ENOTTY` when it is not a terminal.
    package init(opened descriptor: FileDescriptor) throws(SystemError) {
        guard try FileStatus(of: descriptor).isCharacterDevice, descriptor.isTerminal else {
            throw SystemError(code: ENOTTY, call: "isatty")
        }
        try descriptor.setNonBlocking()
        device = descriptor
    }

    /// Opens the terminal that controls this process. Nil without one, and for a background job, because the kernel
    /// would stop it for reading.
    package static func ofForeground() -> Terminal? {
        guard let device = try? FileDescriptor.open("/dev/tty", O_RDWR | O_NOCTTY),
            tcgetpgrp(device.number) == getpgrp()
        else { return nil }
        return try? Terminal(opened: device)
    }

    /// Opens a terminal by a path from another process.
    ///
    /// - Throws: `SystemError` of `open`; `ENOTTY` when it is not a terminal, `EPERM` when it is another user's.
    package init(path: String) throws(SystemError) {
        // Only terminals may be opened: opening some other devices has an effect.
        guard path.hasPrefix("/dev/"), let status = try FileStatus(at: path), status.isCharacterDevice else {
            throw SystemError(code: ENOTTY, call: "open", advice: "no terminal")
        }
        guard status.owner == geteuid() || geteuid() == 0 else { throw SystemError(code: EPERM, call: "open") }
        device = try .open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
        guard device.isTerminal else { throw SystemError(code: ENOTTY, call: "isatty") }
    }

    /// Shows a prompt and reads one line without showing it. Input from before the prompt is discarded.
    ///
    /// - Parameter interruption: ends the prompt when it is ready for reading.
    /// - Throws: `SystemError` of `tcgetattr`, `tcsetattr`, `read` or `write`.
    package func askSecretly(
        _ prompt: String, deadline: Deadline = .never, until interruption: FileDescriptor? = nil
    ) throws(SystemError) -> Answer {
        try withoutEcho { () throws(SystemError) in
            try show(prompt)
            let answer = try readLine(deadline, interruption)
            try show("\n")
            return answer
        }
    }

    /// Delivers every key as it is pressed, without echo, while `body` runs. Earlier input is discarded.
    ///
    /// - Throws: the errors of `body`; `SystemError` of `tcgetattr` or `tcsetattr`.
    package func withoutEcho<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        var before = termios()
        _ = try retrying("tcgetattr") { unsafe tcgetattr(device.number, &before) }
        var silent = before
        // Without ISIG a Control-C arrives here as a byte, so that no signal leaves the terminal without echo.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        // A Control-S would stop the terminal, and the prompt would seem dead.
        silent.c_iflag &= ~tcflag_t(IXON)
        _ = try retrying("tcsetattr") { unsafe tcsetattr(device.number, TCSAFLUSH, &silent) }
        defer { _ = unsafe tcsetattr(device.number, TCSADRAIN, &before) }
        return try body()
    }

    /// Turns echo on again after `body`, if a program that it killed has left it off.
    ///
    /// Echo off together with the kernel's line editing is the trace of such a program. A program that edits lines
    /// itself turns both off, and is left alone.
    package func keepingEcho<Result>(_ body: () -> Result) -> Result {
        var before = termios()
        let wasVisible = unsafe tcgetattr(device.number, &before) == 0 && before.c_lflag & tcflag_t(ECHO) != 0
        let result = body()
        var now = termios()
        guard wasVisible, unsafe tcgetattr(device.number, &now) == 0,
            now.c_lflag & tcflag_t(ECHO | ICANON) == tcflag_t(ICANON)
        else { return result }
        now.c_lflag |= tcflag_t(ECHO)
        _ = unsafe tcsetattr(device.number, TCSANOW, &now)
        return result
    }

    /// Shows a text. It waits only for a limited time for a terminal that was stopped.
    ///
    /// - Throws: `SystemError` of `write`; `ETIMEDOUT`.
    package func show(_ text: String) throws(SystemError) {
        try device.writeFully(Array(text.utf8).span, deadline: .after(milliseconds: Self.showingTimeout))
    }

    private static let showingTimeout = 10_000

    /// The key that was pressed; nil when none was.
    ///
    /// - Throws: `SystemError` of `read`.
    package func key() throws(SystemError) -> Key? {
        switch try byte() {
        case nil: nil
        case .some(nil), .controlC, .controlBackslash, .escape: .cancel
        case .lineFeed, .carriageReturn: .enter
        default: .other
        }
    }

    /// One byte of input; nil when there is none, nil inside when the terminal was closed.
    private func byte() throws(SystemError) -> UInt8?? {
        let key = SecretBytes(count: 1)
        let count = try key.withMutableSpan { (span) throws(SystemError) in try device.read(into: &span) }
        guard let count else { return nil }
        return .some(count == 1 ? key.withSpan { $0[0] } : nil)
    }

    private func readLine(_ deadline: Deadline, _ interruption: FileDescriptor?) throws(SystemError) -> Answer {
        let line = SecretBuffer(capacity: 256)
        while true {
            do {
                let ready = try FileDescriptor.waitForAny(of: [interruption ?? device, device], deadline: deadline)
                if ready == 0, interruption != nil { return .interrupted }
            } catch {
                guard error.code == ETIMEDOUT else { throw error }
                return .timedOut
            }
            switch try byte() {
            case nil: continue
            case .some(nil), .controlC, .controlBackslash: return .canceled
            case .lineFeed, .carriageReturn: return .line(line.copy())
            case .controlD: return line.count == 0 ? .canceled : .line(line.copy())
            case .controlU: line.removeAll()
            // They stop and start a terminal, and are no part of a password.
            case .controlQ, .controlS: continue
            case .backspace, .delete: line.removeLastCharacter()
            case .some(.some(let byte)): line.append(byte)
            }
        }
    }
}

extension FileDescriptor {
    /// Whether the descriptor is a terminal.
    package var isTerminal: Bool { isatty(number) == 1 }

    /// The size of the terminal; nil for one that does not say, and for everything else.
    package var terminalSize: (rows: Int, columns: Int)? {
        var size = winsize()
        guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else { return nil }
        return (Int(size.ws_row), Int(size.ws_col))
    }

    /// How many columns the terminal has; nil for one that does not say, and for everything else.
    package var terminalColumns: Int? {
        var size = winsize()
        guard unsafe ioctl(number, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}

extension UInt8 {
    fileprivate static let controlC: UInt8 = 0x03
    fileprivate static let controlD: UInt8 = 0x04
    fileprivate static let backspace: UInt8 = 0x08
    fileprivate static let lineFeed: UInt8 = 0x0A
    fileprivate static let carriageReturn: UInt8 = 0x0D
    fileprivate static let controlQ: UInt8 = 0x11
    fileprivate static let controlS: UInt8 = 0x13
    fileprivate static let controlU: UInt8 = 0x15
    fileprivate static let escape: UInt8 = 0x1B
    fileprivate static let controlBackslash: UInt8 = 0x1C
    fileprivate static let delete: UInt8 = 0x7F
}

extension SecretBuffer {
    /// Removes the last character with all its bytes.
    fileprivate func removeLastCharacter() {
        let start = withSpan { bytes in
            var start = bytes.count
            while start > 0 {
                start -= 1
                if bytes[start] & 0xC0 != 0x80 { break }
            }
            return start
        }
        truncate(to: start)
    }
}
