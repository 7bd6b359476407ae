import EnclaveWire
import Glibc
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import UserPresence

/// The prompt without a pinentry, with the test at the terminal.
struct TerminalPromptTests {
    /// A question that is open on a thread of its own.
    private final class OpenQuestion {
        let terminal: PseudoTerminal
        let withdrawal: Withdrawal
        private let thread: Thread
        private let outcome = Monitor<UserAnswer?>(nil)

        init(_ kind: UserQuestion.Kind = .passcode, digits: String = "", by deadline: Deadline = soon) throws {
            terminal = try PseudoTerminal()
            withdrawal = try Withdrawal()
            let prompt = Prompt(interaction: .terminal, surroundings: PromptEnvironment(terminal: terminal.path))
            var asked = UserQuestion(kind, AuthenticationContext(identifier: [], caller: []), prompt)
            asked.digits = digits
            let question = asked
            let presence = UserPresence(programs: PinentryPrograms())
            thread = try Thread(named: "question") { [withdrawal, outcome] in
                let answer = presence.ask(question, by: deadline, until: withdrawal)
                outcome.update { $0 = answer }
            }
        }

        /// The result: the case, or the secret in quotation marks.
        func end() -> String {
            thread.join()
            guard let answer = outcome.update({ $0 }) else { return "" }
            guard case .secret(let secret) = answer else { return "\(answer)" }
            return "\"" + (secret.withSpan { $0.text(0, $0.count) } ?? "?") + "\""
        }
    }

    @Test(
        "a passcode is asked for without being shown, and the terminal is as it was",
        .rule("authentication.prompt.passcode"))
    func passcode() throws {
        let open = try OpenQuestion()
        try open.terminal.waitFor("Enter the passcode of your keychain.")
        try open.terminal.waitFor("Passcode: ")
        #expect(!open.terminal.echoes)
        try open.terminal.type("wr\u{15}sésame\n")
        #expect(open.end() == "\"sésame\"")
        #expect(try open.terminal.rest() == "\r\n")
        #expect(open.terminal.echoes)
    }

    @Test("Control-C is a cancel, and the terminal is as it was", arguments: ["\u{3}", "ab\u{1C}", "\u{4}"])
    func cancel(_ keys: String) throws {
        let open = try OpenQuestion()
        try open.terminal.waitFor("Passcode: ")
        try open.terminal.type(keys)
        #expect(open.end() == "cancelled")
        #expect(open.terminal.echoes)
    }

    @Test("the deadline and the withdrawal end it, and the terminal is as it was")
    func ends() throws {
        let late = try OpenQuestion(by: .after(milliseconds: 50))
        #expect(late.end() == "timedOut")
        #expect(late.terminal.echoes)
        let open = try OpenQuestion()
        try open.terminal.waitFor("Passcode: ")
        open.withdrawal.withdraw()
        #expect(open.end() == "withdrawn")
        #expect(open.terminal.echoes)
    }

    @Test("the digits of a pairing stand on the terminal until they are closed, declined or withdrawn")
    func digits() throws {
        for (keys, answer) in [("\n", "seen"), ("\u{3}", "cancelled"), ("", "withdrawn")] {
            let open = try OpenQuestion(.shownDigits, digits: "1234 5678")
            try open.terminal.waitFor("Enter these digits on the other machine: 1234 5678")
            try open.terminal.waitFor("Enter: OK. Ctrl-C: Cancel.")
            if keys.isEmpty { open.withdrawal.withdraw() } else { try open.terminal.type(keys) }
            #expect(open.end() == answer)
            #expect(open.terminal.echoes)
        }
        let asked = try OpenQuestion(.digits)
        try asked.terminal.waitFor("Digits: ")
        try asked.terminal.type("12345678\n")
        #expect(asked.end() == "\"12345678\"")
    }

    @Test("a new password is entered twice, until both are the same; it is neither empty nor endless")
    func twice() throws {
        let open = try OpenQuestion(.newApplicationPassword)
        try open.terminal.waitFor("Password: ")
        try open.terminal.type("\n")
        try open.terminal.waitFor("It must not be empty.")
        try open.terminal.waitFor("Password: ")
        try open.terminal.type(String(repeating: "x", count: AgentFormat.secretBytes + 1) + "\n")
        try open.terminal.waitFor("That is too long.")
        for (first, second) in [("one", "two"), ("three", "three")] {
            try open.terminal.waitFor("Password: ")
            try open.terminal.type(first + "\n")
            try open.terminal.waitFor("Again: ")
            try open.terminal.type(second + "\n")
            if first != second { try open.terminal.waitFor("The two are not the same.") }
        }
        #expect(open.end() == "\"three\"")
    }

    @Test(
        "what is no terminal of this user is not even opened",
        arguments: ["", "/dev/null", "/etc/passwd", "relative", "/dev/pts/99999", "/proc/self/fd/0", "/tmp"])
    func noTerminal(_ path: String) throws {
        let prompt = Prompt(interaction: .any, surroundings: PromptEnvironment(terminal: path))
        let question = UserQuestion(.passcode, AuthenticationContext(identifier: [], caller: []), prompt)
        let answer = UserPresence(programs: PinentryPrograms(terminal: "/usr/bin/pinentry-tty"))
            .ask(question, by: soon, until: try Withdrawal())
        #expect("\(answer)" == "unreachable")
    }

    @Test("a terminal that goes away ends the question")
    func hangUp() throws {
        var open: OpenQuestion? = try OpenQuestion()
        try open?.terminal.waitFor("Passcode: ")
        // Bytes for a person who has gone come back as an error or as the end.
        let person = try #require(open?.terminal.person)
        let end = try FileDescriptor.open("/dev/null", O_RDONLY)
        #expect(dup2(end.number, person.number) == person.number)
        let outcome = open?.end() ?? ""
        #expect(["cancelled", "unreachable"].contains(outcome))
        open = nil
    }
}
