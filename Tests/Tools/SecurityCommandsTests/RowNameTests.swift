import CommandOptions
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import SecurityCommands

@Suite("Rows as names") struct RowNameTests {
    private let shell = Shell()

    init() throws {
        for account in ["a", "b"] {
            _ = shell.run("add-generic-password", "-s", "deploy", "-a", account, "-w", "sesame")
        }
        let terminal = try PseudoTerminal()
        let session = shell.session(input: Shell.file(), output: terminal.device, diagnostics: Shell.file())
        #expect(Driver.run(["list", "-r"].map { .init($0) }, in: session) == 0)
    }

    @Test("#2 is the second row that the last list on the terminal showed")
    func row() {
        #expect(shell.run("show", "#1").text.contains("Account    b\n"))
        #expect(shell.run("show", "#2").text.contains("Account    a\n"))
        #expect(shell.run("rm", "#2", "-y").text.hasPrefix("Deleted deploy (a)."))
        #expect(shell.run("show", "deploy").text.contains("Account    b\n"))
    }

    @Test("A list that goes to no terminal has no rows, and leaves those of the last one")
    func pipe() {
        let kept = shell.keychain.update { $0.rows }
        _ = shell.run("list")
        _ = shell.run("--json", "list")
        #expect(kept.count == 2)
        #expect(shell.keychain.update { $0.rows } == kept)
    }

    @Test("An item that was changed or deleted since is refused, and another number too")
    func changed() {
        shell.keychain.update { $0.rows[0].changed += 1 }
        shell.keychain.update { $0.rows[1].reference[3] ^= 1 }
        for name in ["#1", "#2"] {
            let outcome = shell.run("rm", name, "-y")
            #expect(outcome.status == KeychainStatus.itemNotFound.rawValue)
            #expect(outcome.reasons.hasPrefix("security: why: The item in row \(name) was changed or deleted"))
        }
        #expect(shell.run("show", "#3").status == KeychainStatus.itemNotFound.rawValue)
        #expect(shell.run("list").errors == "2 items.\n")
    }

    @Test("Without a terminal a row is a wrong command line", arguments: ["show", "rm", "edit", "history"])
    func noTerminal(verb: String) {
        shell.keychain.update { $0.hasTerminal = false }
        let more = verb == "edit" ? ["comment=x"] : verb == "rm" ? ["-y"] : []
        let outcome = shell.run([verb, "#1"] + more, input: [])
        #expect(outcome.status == 2)
        #expect(outcome.errors.hasPrefix("security: #1 names a row of a list at a terminal"))
    }
}
