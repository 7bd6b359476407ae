import Glibc

/// The terminal that controls this process. Its user is there even when all three standard streams are redirected.
package enum ControllingTerminal {
    /// Its path under `/dev`, through which another process may open it; nil when there is none.
    package static var path: String? {
        guard let number = try? ProcessDirectory.controllingTerminal(of: CurrentProcess.identifier), number != 0 else {
            return nil
        }
        return name(of: number)
    }

    /// Opens the terminal separately, so that settings of the result affect no other descriptor; nil when there is
    /// none.
    package static func open() -> FileDescriptor? {
        try? FileDescriptor.open("/dev/tty", O_RDWR | O_NOCTTY | O_NONBLOCK)
    }

    /// The path of a terminal by its device number in the form of `/proc` (proc(5)).
    static func name(of number: UInt64) -> String? {
        let (major, minor) = ((number >> 8) & 0xfff, (number & 0xff) | ((number >> 12) & 0xfff00))
        switch major {
        case 4: return minor < 64 ? "/dev/tty\(minor)" : "/dev/ttyS\(minor - 64)"
        // Each of the eight majors of pseudo-terminals has a million numbers.
        case 136...143: return "/dev/pts/\((major - 136) << 20 | minor)"
        default: return nil
        }
    }
}

extension ProcessView {
    /// The path of the terminal that controls the process; nil for none.
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package func controllingTerminal() throws(SystemError) -> String? {
        let number = try ProcessDirectory.controllingTerminal(of: identifier)
        return number == 0 ? nil : ControllingTerminal.name(of: number)
    }
}
