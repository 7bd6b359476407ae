import Glibc

/// A terminal, for asking a person something that must not be shown.
///
/// Lines are edited here and not by the kernel, whose own line editing cuts them at 4095 bytes without a word.
package struct Terminal {
    /// What a person did at a prompt.
    package enum Answer {
        case line(SecretBytes)
        /// Control-C, Control-\, or Control-D on an empty line.
        case canceled
        /// The deadline passed first.
        case timedOut
        /// What the prompt was interrupted by was there first.
        case interrupted
    }

    /// A key that means something while a person is not asked for a line.
    package enum Key {
        case enter
        /// Control-C, Control-\ or Escape, or the terminal has gone.
        case cancel
        case other
    }

    /// Ready for reading when keys were pressed.
    package let device: FileDescriptor

    /// Opens the terminal that `descriptor` leads to for reading and writing, whatever that was opened for.
    ///
    /// It need not be the terminal that controls the process.
    ///
    /// - Throws: `SystemError` of `open`; `ENOTTY` when it is no terminal.
    package init(behind descriptor: FileDescriptor) throws(SystemError) {
        guard descriptor.isTerminal else { throw SystemError(code: ENOTTY, call: "isatty") }
        // Another reader could take what was typed between poll and read.
        device = try .open("/proc/self/fd/\(descriptor.number)", O_RDWR | O_NOCTTY | O_NONBLOCK)
    }

    /// Takes a terminal that somebody else has opened for reading and writing: whoever could do that may have it used.
    ///
    /// - Throws: `SystemError` of `fcntl`; `ENOTTY` when it is no terminal.
    package init(opened descriptor: FileDescriptor) throws(SystemError) {
        guard try FileStatus(of: descriptor).isCharacterDevice, descriptor.isTerminal else {
            throw SystemError(code: ENOTTY, call: "isatty")
        }
        try descriptor.setNonBlocking()
        device = descriptor
    }

    /// Opens the terminal that controls this process; nil without one, and for a job in the background, which the
    /// kernel would stop for reading from it.
    package static func ofForeground() -> Terminal? {
        guard let device = try? FileDescriptor.open("/dev/tty", O_RDWR | O_NOCTTY),
            tcgetpgrp(device.number) == getpgrp()
        else { return nil }
        return try? Terminal(opened: device)
    }

    /// Opens the terminal that somebody else has named.
    ///
    /// - Throws: `SystemError` of `open`; `ENOTTY` when it is no terminal, `EPERM` when it is another user's.
    package init(path: String) throws(SystemError) {
        // The name of something else than a terminal must not even be opened: to open is to do something with some
        // devices.
        guard path.hasPrefix("/dev/"), let status = try FileStatus(at: path), status.isCharacterDevice else {
            throw SystemError(code: ENOTTY, call: "open", advice: "no terminal")
        }
        guard status.owner == geteuid() || geteuid() == 0 else { throw SystemError(code: EPERM, call: "open") }
        device = try .open(path, O_RDWR | O_NOCTTY | O_NONBLOCK)
        guard device.isTerminal else { throw SystemError(code: ENOTTY, call: "isatty") }
    }

    /// Shows a prompt and reads one line without showing it; what was typed before the prompt is forgotten.
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

    /// Hands every key over as it is pressed, and shows none, while `body` runs; what was typed before is forgotten.
    ///
    /// - Throws: what `body` throws; `SystemError` of `tcgetattr` or `tcsetattr`.
    package func withoutEcho<Result>(
        _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        var before = termios()
        _ = try retrying("tcgetattr") { unsafe tcgetattr(device.number, &before) }
        var silent = before
        // Without ISIG a Control-C arrives here as a byte, so the terminal is never left silent by a signal.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        _ = try retrying("tcsetattr") { unsafe tcsetattr(device.number, TCSAFLUSH, &silent) }
        defer { _ = unsafe tcsetattr(device.number, TCSADRAIN, &before) }
        return try body()
    }

    /// Makes what is typed visible again after `body`, where a program that it ended has left it hidden.
    ///
    /// Lines that are hidden and still edited by the kernel are such a program's trace: who edits lines himself hides
    /// them too, and is left alone.
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

    /// Shows a text. A terminal that takes nothing, because it was stopped, is waited for only for a while.
    ///
    /// - Throws: `SystemError` of `write`; `ETIMEDOUT`.
    package func show(_ text: String) throws(SystemError) {
        try device.writeFully(Array(text.utf8).span, deadline: .after(milliseconds: Self.showingPatience))
    }

    private static let showingPatience = 10_000

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

    /// One byte of what was typed; nil when there is none, nil inside when the terminal has gone.
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
            case .backspace, .delete: line.removeLastCharacter()
            case .some(.some(let byte)): line.append(byte)
            }
        }
    }
}

extension FileDescriptor {
    /// Whether it leads to a terminal.
    package var isTerminal: Bool { isatty(number) == 1 }
}

extension UInt8 {
    fileprivate static let controlC: UInt8 = 0x03
    fileprivate static let controlD: UInt8 = 0x04
    fileprivate static let backspace: UInt8 = 0x08
    fileprivate static let lineFeed: UInt8 = 0x0A
    fileprivate static let carriageReturn: UInt8 = 0x0D
    fileprivate static let controlU: UInt8 = 0x15
    fileprivate static let escape: UInt8 = 0x1B
    fileprivate static let controlBackslash: UInt8 = 0x1C
    fileprivate static let delete: UInt8 = 0x7F
}

extension SecretBuffer {
    /// Removes the last character, all bytes of it.
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
