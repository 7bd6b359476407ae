import Glibc
package import LinuxSystem

/// A terminal with a person at it: the test.
package final class PseudoTerminal {
    /// The side of the program.
    package let device: FileDescriptor
    /// The side of the person.
    package let person: FileDescriptor
    private var screen: [UInt8] = []

    package init() throws {
        var (person, device): (CInt, CInt) = (-1, -1)
        guard unsafe openpty(&person, &device, nil, nil, nil) == 0 else {
            throw SystemError(code: errno, call: "openpty")
        }
        self.person = FileDescriptor(owning: person)
        self.device = FileDescriptor(owning: device)
    }

    /// Reads what the program shows until it has shown `text`, and forgets it.
    package func waitFor(_ text: String) throws {
        let wanted = Array(text.utf8)
        while !screen.contains(wanted) {
            try person.wait(for: .readable, deadline: soon)
            let byte = try person.readByte()
            screen.append(byte)
        }
        screen = []
    }

    package func type(_ text: String) throws { try person.writeFully(Array(text.utf8).span) }

    /// Everything shown since the text waited for last.
    package func rest() throws -> String {
        while (try? person.wait(for: .readable, deadline: .now)) != nil { screen.append(try person.readByte()) }
        defer { screen = [] }
        return String(decoding: screen, as: UTF8.self)
    }

    /// The path of the side of the program.
    package var path: String {
        var name = [CChar](repeating: 0, count: 128)
        guard unsafe ttyname_r(device.number, &name, name.count) == 0 else { return "" }
        return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    package var echoes: Bool {
        var mode = termios()
        unsafe tcgetattr(device.number, &mode)
        return mode.c_lflag & tcflag_t(ECHO) != 0 && mode.c_lflag & tcflag_t(ICANON) != 0
    }
}

extension FileDescriptor {
    fileprivate func readByte() throws -> UInt8 {
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        _ = try read(into: &span)
        return byte[0]
    }
}
