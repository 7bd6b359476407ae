import CommandOptions
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import SecurityCommands
import TestSupport
import Testing

@Suite("At a terminal") struct PromptTests {
    let shell = Shell()

    private func add() throws -> TerminalCommand {
        try TerminalCommand(shell, "add-generic-password", "-a", "x", "-s", "y", "-w")
    }

    private var value: [UInt8]? { shell.keychain.update { $0.items.first?.value } }

    @Test("-w as the last word asks twice, shows nothing of the answers, and leaves the terminal as it was")
    func twice() throws {
        let command = try add()
        try command.terminal.waitFor("password data for new item: ")
        #expect(!command.terminal.echoes)
        try command.terminal.type("sesame\n")
        try command.terminal.waitFor("retype password for new item: ")
        #expect(!command.terminal.echoes)
        try command.terminal.type("sesame\n")
        #expect(command.end() == .init(0))
        #expect(try command.terminal.rest() == "\r\n")
        #expect(command.terminal.echoes)
        #expect(value == Array("sesame".utf8))
    }

    @Test("Control-S and Control-Q are no part of an answer, and stop no terminal", .patient)
    func flowControl() throws {
        let command = try add()
        for prompt in ["password data for new item: ", "retype password for new item: "] {
            try command.terminal.waitFor(prompt)
            try command.terminal.type("ses\u{13}ame\u{11}\u{13}\n")
        }
        #expect(command.end() == .init(0))
        #expect(try command.terminal.rest() == "\r\n")
        #expect(value == Array("sesame".utf8))
    }

    @Test("two different answers are asked for again, three times at most")
    func mismatch() throws {
        let command = try add()
        for _ in 1...3 {
            try command.terminal.waitFor("password data for new item: ")
            try command.terminal.type("sesame\n")
            try command.terminal.waitFor("retype password for new item: ")
            try command.terminal.type("Sesame\n")
            try command.terminal.waitFor("passwords don't match")
        }
        #expect(command.end().status == 1)
        #expect(value == nil)
    }

    @Test("a right answer after a wrong one counts")
    func secondTry() throws {
        let command = try add()
        for answer in ["typo", "sesame"] {
            try command.terminal.waitFor("password data for new item: ")
            try command.terminal.type("sesame\n")
            try command.terminal.waitFor("retype password for new item: ")
            try command.terminal.type("\(answer)\n")
        }
        #expect(command.end() == .init(0))
        #expect(value == Array("sesame".utf8))
    }

    @Test(
        "Control-C, Control-\\ and Control-D on an empty line give up: exit status 128",
        arguments: ["\u{3}", "sesa\u{3}", "\u{1C}", "\u{4}"])
    func cancel(keys: String) throws {
        let command = try add()
        try command.terminal.waitFor("password data for new item: ")
        try command.terminal.type(keys)
        #expect(command.end() == .init(-128))
        #expect(command.terminal.echoes)
        #expect(try command.terminal.rest().contains("security: prompt: User canceled the operation.\r\n"))
        #expect(value == nil)
    }

    @Test(
        "a line can be corrected",
        arguments: [
            ("sesax\u{7F}me\n", "sesame"), ("xé\u{7F}\u{8}sesame\n", "sesame"), ("wrong\u{15}sesame\r", "sesame"),
            ("\u{7F}\u{7F}a\n", "a"), ("abc\u{4}", "abc"), ("a b\t\"\\\n", "a b\t\"\\"),
        ])
    func editing(keys: String, password: String) throws {
        let command = try add()
        for prompt in ["password data for new item: ", "retype password for new item: "] {
            try command.terminal.waitFor(prompt)
            try command.terminal.type(keys)
        }
        #expect(command.end() == .init(0))
        #expect(value == Array(password.utf8))
    }

    @Test("a line longer than the kernel's own editing takes is not cut")
    func long() throws {
        let password = String(repeating: "0123456789", count: 600)
        let command = try add()
        for prompt in ["password data for new item: ", "retype password for new item: "] {
            try command.terminal.waitFor(prompt)
            try command.terminal.type(password + "\n")
        }
        #expect(command.end() == .init(0))
        #expect(value == Array(password.utf8))
    }

    @Test("a file is no terminal, and nobody is asked through it")
    func noTerminal() {
        #expect(throws: SystemError(code: ENOTTY, call: "isatty")) { try Terminal(behind: Shell.file()) }
    }

    @Test("where nobody may be asked, nobody is: exit status 36")
    func mayNotAsk() throws {
        let terminal = try PseudoTerminal()
        let session = Session(
            input: terminal.device, output: Shell.file(), diagnostics: terminal.device, socket: "", mayAsk: false,
            connect: { [shell] in shell.keychain })
        let words = ["add-generic-password", "-a", "x", "-s", "y", "-w"]
        #expect(Driver.run(words.map { Argument($0) }, in: session) == -25308)
        #expect(value == nil)
    }

    @Test("a password in the command line earns a warning, and -q silences it")
    func warning() throws {
        let warned = try TerminalCommand(shell, "add-generic-password", "-a", "1", "-s", "y", "-w", "sesame")
        #expect(warned.end() == .init(0))
        let screen = try warned.terminal.rest()
        #expect(screen.hasPrefix("security: a password in the command line can be seen by other programs; "))
        #expect(!screen.contains("sesame"))
        let quiet = try TerminalCommand(shell, "-q", "add-generic-password", "-a", "2", "-s", "y", "-w", "sesame")
        #expect(quiet.end() == .init(0))
        #expect(try quiet.terminal.rest() == "")
    }

    @Test("a refusal is explained on two more lines")
    func explanation() throws {
        let command = try TerminalCommand(shell, "find-generic-password", "-s", "x")
        #expect(command.end() == .init(-25300))
        #expect(
            try command.terminal.rest()
                == "security: SecKeychainSearchCopyNext: The specified item could not be found in the keychain.\r\n"
                + "security: why: Nothing matches.\r\n"
                + "security: next: `security dump-keychain` shows the items there are.\r\n")
    }

    @Test(
        "-w shows a terminal hexadecimal for what is not text",
        arguments: [
            ("736573616d65", "sesame"), ("61c3a9", "aé"), ("00ff", "00ff"), ("1b5b", "1b5b"), ("c285", "c285"),
            ("610a62", "a\r\nb"),
        ])
    func display(hex: String, shown: String) throws {
        _ = shell.run("add-generic-password", "-a", "x", "-s", "y", "-X", hex)
        let command = try TerminalCommand(shell, "find-generic-password", "-w", outputIsTerminal: true)
        #expect(command.end() == .init(0))
        #expect(try command.terminal.rest() == shown + "\r\n")
    }

    @Test("unlock-keychain asks for the password of the keychain it was given")
    func unlock() throws {
        shell.keychain.update { state in
            state.passcode = Array("1234".utf8)
            state.isLocked = true
        }
        let wrong = try TerminalCommand(shell, "unlock-keychain")
        try wrong.terminal.waitFor("password to unlock default: ")
        try wrong.terminal.type("0000\n")
        #expect(wrong.end() == .init(-25293))
        let right = try TerminalCommand(shell, "unlock-keychain", "login.keychain")
        try right.terminal.waitFor("password to unlock login.keychain: ")
        try right.terminal.type("1234\n")
        #expect(right.end() == .init(0))
        #expect(shell.keychain.update { !$0.isLocked })
    }

    @Test("set-keychain-password asks for old, new and new again, and for no old one when there is none")
    func setPassword() throws {
        let first = try TerminalCommand(shell, "set-keychain-password")
        try first.terminal.answer(["New Password: ": "1234", "Retype New Password: ": "1234"])
        #expect(first.end() == .init(0))
        #expect(shell.keychain.update { $0.passcode } == Array("1234".utf8))
        let second = try TerminalCommand(shell, "set-keychain-password")
        try second.terminal.answer([
            "Old Password: ": "1234", "New Password: ": "56", "Retype New Password: ": "56",
        ])
        #expect(second.end() == .init(0))
        #expect(shell.keychain.update { $0.passcode } == Array("56".utf8))
    }

    @Test(
        "two different new passwords, or an empty one, change nothing",
        arguments: [("12", "34", "try again"), ("", "", "the new password is empty")])
    func setPasswordRefused(new: String, again: String, message: String) throws {
        let command = try TerminalCommand(shell, "set-keychain-password")
        try command.terminal.answer(["New Password: ": new, "Retype New Password: ": again])
        #expect(command.end() == .init(1))
        #expect(try command.terminal.rest().contains("security: \(message)\r\n"))
        #expect(shell.keychain.update { $0.passcode } == nil)
    }

    @Test("lock-keychain says when there is nothing to lock with")
    func lock() throws {
        let command = try TerminalCommand(shell, "lock-keychain")
        #expect(command.end() == .init(0))
        #expect(try command.terminal.rest().hasPrefix("security: there is no password, so it stays open."))
    }

    @Test("a long verification says how far it has come, and takes its line away at the end")
    func progress() throws {
        let terminal = try PseudoTerminal()
        let (device, person) = (terminal.device, terminal.person)
        let isShown = Monitor(false)
        shell.keychain.update { state in
            state.report.checked = 12
            // The last page ends when the sign of life has been seen.
            state.beforeDevice = { request in
                guard case .verify(let cursor) = request, cursor.itemClass == nil else { return }
                _ = isShown.wait(deadline: soon) { $0 ? true : nil }
            }
        }
        let (output, shell) = (Shell.file(), shell)
        let thread = try Thread(named: "security") {
            let session = shell.session(input: Shell.file(), output: output, diagnostics: device)
            _ = Driver.run([Argument("verify-keychain")], in: session)
        }
        try terminal.waitFor("\rchecking the keychain: 12 of 12 items, 0 s")
        isShown.update { $0 = true }
        thread.join()
        #expect(try terminal.rest().hasSuffix("\r\u{1B}[K"))
        #expect(Shell.content(output) == Array("checked: 12\ndamaged: 0\n".utf8))
        withExtendedLifetime(person) {}
    }
}

extension PseudoTerminal {
    /// Answers prompts in the order in which they are written here.
    func answer(_ answers: KeyValuePairs<String, String>) throws {
        for (prompt, answer) in answers {
            try waitFor(prompt)
            try type(answer + "\n")
        }
    }
}

@Suite("A locked keychain, with somebody at the terminal") struct UnlockOfferTests {
    let shell = Shell()

    /// One with an item, locked with a password.
    private func lockWithItem() {
        #expect(shell.run("add-generic-password", "-a", "x", "-s", "y", "-w", "sesame").status == 0)
        shell.keychain.update { ($0.passcode, $0.isLocked) = (Array("open".utf8), true) }
    }

    @Test("a locked keychain is opened on the way, once")
    func unlocksOnTheWay() throws {
        lockWithItem()
        let command = try TerminalCommand(shell, "find-generic-password", "-s", "y", "-w")
        try command.terminal.waitFor("password to unlock default: ")
        #expect(!command.terminal.echoes)
        try command.terminal.type("open\n")
        #expect(command.end() == .init(0, "sesame\n"))
        #expect(command.terminal.echoes)
    }

    @Test("a wrong password on the way is refused, and nothing is shown")
    func wrongOnTheWay() throws {
        lockWithItem()
        let command = try TerminalCommand(shell, "find-generic-password", "-s", "y", "-w")
        try command.terminal.waitFor("password to unlock default: ")
        try command.terminal.type("shut\n")
        #expect(command.end() == .init(-25293))
        #expect(shell.keychain.update { $0.isLocked })
    }

    @Test("who may not be asked is told to unlock", arguments: ["-q", "-M", "--json"])
    func isNotAsked(option: String) throws {
        lockWithItem()
        let command = try TerminalCommand(shell, option, "find-generic-password", "-s", "y", "-w")
        #expect(command.end().status == -25308)
        #expect(shell.run("find-generic-password", "-s", "y").reasons.contains("security unlock-keychain"))
    }
}
