import EnclaveWire
import Glibc
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

/// The user at a terminal, keychain-agent, keychain-enclaved behind its filter, and the test as the daemon.
struct AgentConversationTests {
    private let device = TestDevice()
    private let connection: EnclaveConnection
    private let terminal: PseudoTerminal

    init() throws {
        let (ours, theirs) = try UnixSocket.pair()
        let arguments = ["--vault", device.vault, "--channel", "3", "--create", "--pinentry", "none"]
        let process = try ChildProcess.start(EnclaveProgram.path, arguments, handing: [theirs.descriptor])
        connection = try EnclaveConnection(ours, process: process)
        terminal = try PseudoTerminal()
        try connection.setPasscode(TestDevice.passcode("sesame"))
    }

    private enum Outcome: Equatable, Sendable {
        case shown(AuthenticationFactors)
        case refused(KeychainStatus, Refusal.Rule)
    }

    /// Has the user asked for a policy, while `body` is at the terminal.
    private func evaluate(
        _ policy: UInt8, _ context: AuthenticationContext, interaction: Prompt.Interaction = .terminal,
        meanwhile body: () throws -> Void
    ) throws -> Outcome {
        var prompt = Prompt(
            interaction: interaction, reason: "Log in", surroundings: PromptEnvironment(terminal: terminal.path))
        (prompt.program, prompt.item) = ("/usr/bin/program", "")
        let task = AuthenticationTask(context: context, purpose: .context(.policy(policy)), prompt: prompt)
        let outcome = Monitor<Outcome?>(nil)
        let thread = try Thread(named: "asker") { [connection] in
            do throws(Refusal) {
                let result = try connection.authenticate(task, by: soon)
                outcome.update { $0 = .shown(result.factors) }
            } catch { outcome.update { $0 = .refused(error.status, error.rule) } }
        }
        defer { thread.join() }
        try body()
        thread.join()
        return try #require(outcome.update { $0 })
    }

    private static func context() -> AuthenticationContext {
        AuthenticationContext(identifier: Randomness.bytes(16), caller: [UInt8](repeating: 1, count: 32))
    }

    @Test(
        "a passcode that the user types goes to the enclave, which looks at it, past whoever has him asked",
        .rule("authentication.prompt.agent"))
    func passcode() throws {
        let outcome = try evaluate(2, Self.context()) {
            try terminal.waitFor("\"/usr/bin/program\" wants to make sure that it is you.")
            try terminal.waitFor("The reason it gives: \"Log in\"")
            try terminal.waitFor("Passcode: ")
            try terminal.type("wrong\n")
            try terminal.waitFor("Passcode: ")
            try terminal.type("sesame\n")
        }
        #expect(outcome == .shown(.passcode))
        #expect(terminal.echoes)
    }

    @Test("a user who gives up has cancelled")
    func cancel() throws {
        let outcome = try evaluate(2, Self.context()) {
            try terminal.waitFor("Passcode: ")
            try terminal.type("\u{3}")
        }
        #expect(outcome == .refused(.userCanceled, .userCanceled))
    }

    @Test("where nobody may be asked, nobody is, at once", .rule("authentication.prompt.blocking"))
    func never() throws {
        let outcome = try evaluate(2, Self.context(), interaction: .never) {}
        guard case .refused(let status, _) = outcome else { throw SystemError(code: EPROTO, call: "\(outcome)") }
        #expect(status == .interactionNotAllowed)
        #expect(try terminal.rest() == "")
    }

    @Test("a prompt ends when its context is invalidated, and the terminal is as it was")
    func invalidate() throws {
        let context = Self.context()
        let outcome = try evaluate(2, context) {
            try terminal.waitFor("Passcode: ")
            try connection.invalidate(context)
        }
        #expect(outcome == .refused(.authFailed, .withdrawn))
        #expect(terminal.echoes)
    }

    @Test("without a reader there is no biometry to ask for", .rule("authentication.biometry.missing"))
    func noReader() throws {
        #expect(try connection.capabilities() == AuthenticationCapabilities(biometry: .none, passcodeIsSet: true))
        #expect(try evaluate(1, Self.context()) {} == .refused(.authFailed, .biometryUnavailable))
    }
}
