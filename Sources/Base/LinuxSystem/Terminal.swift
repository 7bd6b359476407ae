import Glibc

/// The terminal behind a descriptor, for asking a person something that must not be shown.
///
/// Lines are edited here and not by the kernel, whose own line editing cuts them at 4095 bytes without a word.
package struct Terminal {
    /// What a person did at a prompt.
    package enum Answer {
        case line(SecretBytes)
        /// Control-C, Control-\, or Control-D on an empty line.
        case canceled
    }

    private let device: FileDescriptor

    /// Opens the terminal that `descriptor` leads to for reading and writing, whatever that was opened for.
    ///
    /// It need not be the terminal that controls the process.
    ///
    /// - Throws: `SystemError` of `open`; `ENOTTY` when it is no terminal.
    package init(behind descriptor: FileDescriptor) throws(SystemError) {
        guard descriptor.isTerminal else { throw SystemError(code: ENOTTY, call: "isatty") }
        device = try .open("/proc/self/fd/\(descriptor.number)", O_RDWR | O_NOCTTY)
    }

    /// Shows a prompt and reads one line without showing it; what was typed before the prompt is forgotten.
    ///
    /// - Throws: `SystemError` of `tcgetattr`, `tcsetattr`, `read` or `write`.
    package func askSecretly(_ prompt: String) throws(SystemError) -> Answer {
        var before = termios()
        _ = try retrying("tcgetattr") { unsafe tcgetattr(device.number, &before) }
        var silent = before
        // Without ISIG a Control-C arrives here as a byte, so the terminal is never left silent by a signal.
        silent.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG | IEXTEN)
        _ = try retrying("tcsetattr") { unsafe tcsetattr(device.number, TCSAFLUSH, &silent) }
        defer { _ = unsafe tcsetattr(device.number, TCSADRAIN, &before) }
        try show(prompt)
        let answer = try readLine()
        try show("\n")
        return answer
    }

    private func show(_ text: String) throws(SystemError) {
        try device.writeFully(Array(text.utf8).span)
    }

    private func readLine() throws(SystemError) -> Answer {
        let line = SecretBuffer(capacity: 256)
        let key = SecretBytes(count: 1)
        while true {
            let count = try key.withMutableSpan { (span) throws(SystemError) in try device.readFully(into: &span) }
            guard count == 1 else { return .canceled }
            switch key.withSpan({ $0[0] }) {
            case .lineFeed, .carriageReturn: return .line(line.copy())
            case .controlC, .controlBackslash: return .canceled
            case .controlD: return line.count == 0 ? .canceled : .line(line.copy())
            case .controlU: line.removeAll()
            case .backspace, .delete: line.removeLastCharacter()
            case let byte: line.append(byte)
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
