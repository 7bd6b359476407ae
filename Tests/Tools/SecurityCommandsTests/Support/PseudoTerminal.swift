import Glibc
import LinuxSystem
import SecurityCommands
import Testing

/// A terminal with a person at it: the test.
final class PseudoTerminal {
    /// The side of the program.
    let device: FileDescriptor
    /// The side of the person.
    let person: FileDescriptor
    private(set) var screen: [UInt8] = []

    init() throws {
        var (person, device): (CInt, CInt) = (-1, -1)
        try #require(unsafe openpty(&person, &device, nil, nil, nil) == 0)
        self.person = FileDescriptor(owning: person)
        self.device = FileDescriptor(owning: device)
    }

    /// Reads what the program shows until it has shown `text`, and forgets it.
    func waitFor(_ text: String) throws {
        let wanted = Array(text.utf8)
        while !screen.contains(wanted) {
            try person.wait(for: .readable, deadline: .after(milliseconds: 30_000))
            let byte = try person.readByte()
            screen.append(byte)
        }
        screen = []
    }

    func type(_ text: String) throws { try person.writeFully(Array(text.utf8).span) }

    /// Everything shown since the text waited for last.
    func rest() throws -> String {
        while (try? person.wait(for: .readable, deadline: .now)) != nil { screen.append(try person.readByte()) }
        defer { screen = [] }
        return String(decoding: screen, as: UTF8.self)
    }

    var echoes: Bool {
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

/// A command that runs at a terminal while the test answers it.
final class TerminalCommand {
    let terminal: PseudoTerminal
    private let output: FileDescriptor
    private let thread: LinuxSystem.Thread
    private let status = Monitor<Int32?>(nil)

    /// Starts the command with the terminal as standard input and error, and also as output if `outputIsTerminal`.
    init(_ shell: Shell, _ words: String..., outputIsTerminal: Bool = false) throws {
        terminal = try PseudoTerminal()
        output = outputIsTerminal ? terminal.device : Shell.file()
        let (device, output, status) = (terminal.device, output, status)
        let arguments = words.map { Argument($0) }
        thread = try Thread(named: "security") {
            let session = shell.session(input: device, output: output, diagnostics: device)
            let result = Driver.run(arguments, in: session)
            status.update { $0 = result }
        }
    }

    /// Waits for the command's end.
    func end() -> Shell.Outcome {
        thread.join()
        return Shell.Outcome(status.update { $0 } ?? -1, bytes: output === terminal.device ? [] : Shell.content(output))
    }
}
