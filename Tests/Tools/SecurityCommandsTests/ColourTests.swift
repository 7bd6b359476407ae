import CommandOptions
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("Colour") struct ColourTests {
    private var shell = Shell()

    init() {
        _ = shell.run("add-generic-password", "-s", "deploy", "-a", "ci", "-w", "sesame")
        shell.environment = ["TERM": "xterm"]
    }

    /// The output of a command at a terminal.
    private func shown(_ shell: Shell, _ words: String...) throws -> String {
        let (terminal, errors) = (try PseudoTerminal(), Shell.file())
        let session = shell.session(input: Shell.file(), output: terminal.device, diagnostics: errors)
        _ = Driver.run(words.map { .init($0) }, in: session)
        return try terminal.rest()
    }

    @Test("A terminal gets the heading of a list and the names of attributes in bold")
    func terminal() throws {
        #expect(try shown(shell, "list").hasPrefix("\u{1B}[1mNAME"))
        #expect(try shown(shell, "show", "deploy").hasPrefix("\u{1B}[1mItem\u{1B}[0m  "))
    }

    @Test(
        "There is none where NO_COLOR is set, on a terminal that cannot, for macOS's form, and with never",
        arguments: [["NO_COLOR": "1"], ["TERM": "dumb"], ["TERM": ""], ["KEYCHAIN_MACOS_COMPAT": "1"]])
    func none(variables: [String: String]) throws {
        var other = shell
        other.environment.merge(variables) { $1 }
        #expect(try !shown(other, "list").contains("\u{1B}"))
        #expect(try !shown(shell, "list", "--color", "never").contains("\u{1B}"))
        #expect(try !shown(shell, "--color", "never", "show", "deploy").contains("\u{1B}"))
    }

    @Test("Everything else gets none, unless it is asked for; the option counts more than the variables")
    func pipes() {
        for words in [["list"], ["show", "deploy"], ["show", "nothing"], ["list", "--color", "auto"]] {
            let outcome = shell.run(words, input: [])
            #expect(!outcome.text.contains("\u{1B}") && !outcome.errors.contains("\u{1B}"))
        }
        var other = shell
        other.environment = ["NO_COLOR": "1", "TERM": "dumb"]
        #expect(other.run("show", "deploy", "--color", "always").text.hasPrefix("\u{1B}[1mItem"))
        #expect(other.run("--color", "always", "show", "x").errors.hasPrefix("\u{1B}[31msecurity: show: "))
        #expect(other.run("--json", "--color", "always", "show", "deploy").text.hasPrefix("{"))
        other.environment = ["CLICOLOR_FORCE": "1"]
        #expect(other.run("show", "deploy").text.hasPrefix("\u{1B}[1mItem"))
        #expect(!other.run("show", "deploy", "--color=never").text.contains("\u{1B}"))
    }

    @Test("Another word for when is a wrong command line, and a name cannot colour anything")
    func wrong() {
        for words in [["list", "--color", "red"], ["--color", "red", "list"]] {
            let outcome = shell.run(words, input: [])
            #expect(outcome.status == 2 && outcome.text.isEmpty)
        }
        _ = shell.run("add-generic-password", "-s", "a\u{1B}[31mb", "-a", "x", "-w", "x")
        let failure = shell.run("--color", "always", "rm", "a\u{1B}[31mc", "-y").errors
        #expect(failure.split(separator: "\u{1B}").count == 2)
    }
}
