import CommandOptions
import Glibc
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

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
            let session = shell.session(input: device, output: output, diagnostics: device, terminal: device)
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
