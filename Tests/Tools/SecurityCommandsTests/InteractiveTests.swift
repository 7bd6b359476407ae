import KeychainModel
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("Interactive mode") struct InteractiveTests {
    let shell = Shell()

    @Test(
        "commands come from standard input, a line each; the status is the last one's",
        .rule("command.driver.interactive"))
    func script() {
        let script = """
            add-generic-password -a ada -s example -w sesame

            find-g -s example -w
            find-g -s nothing
            """
        let outcome = shell.run("-i", input: script)
        #expect(outcome.status == -25300)
        #expect(outcome.text == "sesame\n")
        #expect(
            outcome.errors == """
                security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.
                find-g: returned -25300

                """)
        #expect(shell.run("-i", input: "find-g -s nothing\nfind-g -w\n").status == 0)
    }

    @Test("-q leaves out what a command returned")
    func quiet() {
        #expect(
            shell.run("-iq", input: "x\n") == .init(1, errors: "security: unknown command \"x\"\n"))
    }

    @Test(
        "words are quoted as on macOS: by quotes at their beginning, and by backslashes",
        arguments: [
            ("\"a b\"", "a b"), ("'a \"b'", "a \"b"), ("a\\ b", "a b"), ("\"a\\\"b\"", "a\"b"),
            ("a\"b", "a\"b"), ("'a\\'b'", "a'b"), ("\"\"", ""), ("\\\\", "\\"), ("\"a b", "a b"), ("'é '", "é "),
            ("\ta\t", "a"), ("a\\", "a"),
        ])
    func quoting(written: String, word: String) {
        #expect(shell.run("-i", input: "add-generic-password -a x -w y -s \(written)\n") == .init(0))
        #expect(shell.keychain.update { $0.items.first?.attributes[.service] } == .string(word))
    }

    @Test("a quote ends a word")
    func adjacent() {
        #expect(shell.run("-i", input: "\"error\"'-25300'\n").text.hasPrefix("Error: 0xFFFF9D2C"))
    }

    @Test("there is no prompt for a script")
    func noPrompt() { #expect(shell.run("-i", input: "") == .init(0)) }

    @Test("at a terminal there is one, which -p changes")
    func prompt() throws {
        let usual = try TerminalCommand(shell, "-i")
        try usual.terminal.waitFor("security> ")
        try usual.terminal.type("\u{4}")
        #expect(usual.end() == .init(0))
        let own = try TerminalCommand(shell, "-p", "? ")
        try own.terminal.waitFor("? ")
        try own.terminal.type("error 0\n")
        try own.terminal.waitFor("error: returned 1")
        try own.terminal.waitFor("? ")
        try own.terminal.type("\u{4}")
        #expect(own.end().status == 1)
    }

    @Test("in a script, a password that is asked for is the next line")
    func password() {
        let script = "add-generic-password -a x -s y -w\nsesame street\nfind-generic-password -w\n"
        #expect(shell.run("-i", input: script) == .init(0, "sesame street\n"))
    }

    @Test("a password in a line of a script is not in any command line, and earns no warning")
    func noWarning() throws {
        #expect(
            shell.run("-i", "-v", input: "add-generic-password -a x -s y -w sesame\n").errors
                == #"add-generic-password "-a" "x" "-s" "y" "-w" "********""# + "\n")
    }

    @Test("--json holds for one command when it stands behind it, and for all when it stands before -i")
    func json() {
        let script = "error 0 --json\nerror 0\n"
        #expect(shell.run("-iq", input: script).text.split(separator: "\n").map { $0.first } == ["[", "E"])
        #expect(shell.run("--json", "-iq", input: script).text.split(separator: "\n").map { $0.first } == ["[", "["])
    }

    @Test("a line without an end is as long as memory lasts, not longer")
    func endless() {
        let outcome = shell.run(["-i"], input: [UInt8](repeating: UInt8(ascii: "x"), count: 4 << 20))
        #expect(outcome.errors.hasPrefix("security: standard input: read: File too large"))
    }
}
