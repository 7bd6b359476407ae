import EnclaveWire
import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@Suite("The enclave decides which of its user's agents is asked")
struct AgentRouterTests {
    private let system = TestUser()
    private let session = TestUser()
    private let agents: AgentRouter

    private static let typed: [UserQuestion.Kind] = [.passcode, .unlocking, .applicationPassword]
    private static let others: [UserQuestion.Kind] = [
        .newApplicationPassword, .finger, .loginPassword, .shownDigits, .digits, .shownCode, .code,
    ]

    init() { agents = AgentRouter(system: system, session: session) }

    private static func question(
        _ kind: UserQuestion.Kind, terminal: String = "", display: String? = nil,
        interaction: Prompt.Interaction = .any
    ) -> UserQuestion {
        var surroundings = PromptEnvironment(terminal: terminal)
        surroundings.environment["DISPLAY"] = display
        return UserQuestion(kind, .test(), Prompt(interaction: interaction, surroundings: surroundings))
    }

    private func ask(_ question: UserQuestion) throws -> String { "\(try agents.ask(question, by: soon))" }

    @Test("What a person types is asked for on the display of the session", arguments: typed)
    func display(_ kind: UserQuestion.Kind) throws {
        session.will(.cancel, .cancel)
        #expect(try ask(Self.question(kind)) == "cancelled")
        #expect(try ask(Self.question(kind, terminal: "/dev/pts/1", display: ":0")) == "cancelled")
        #expect(session.kinds == [kind, kind] && system.kinds.isEmpty)
        // Terminal and environment of the program are nothing for the user's agent.
        #expect(session.questions.allSatisfy { $0.prompt.surroundings == PromptEnvironment() })
    }

    @Test("A program at a terminal that names no display is asked for there", arguments: typed)
    func terminal(_ kind: UserQuestion.Kind) throws {
        system.will(.cancel, .cancel, .cancel)
        #expect(try ask(Self.question(kind, terminal: "/dev/pts/1")) == "cancelled")
        #expect(try ask(Self.question(kind, terminal: "/dev/pts/1", display: "")) == "cancelled")
        #expect(
            try ask(Self.question(kind, terminal: "/dev/pts/1", display: ":0", interaction: .terminal)) == "cancelled")
        #expect(system.kinds.count == 3 && session.kinds.isEmpty)
    }

    @Test("A session agent gets no question about fingers, new passwords, digits and codes", arguments: others)
    func withheld(_ kind: UserQuestion.Kind) throws {
        session.will(.touch, .close, .passcode("12345678"))
        _ = try ask(Self.question(kind, display: ":0"))
        #expect(system.kinds == [kind] && session.kinds.isEmpty)
    }

    @Test("A session agent gets no question about the circle of machines")
    func circle() throws {
        session.will(.passcode("1234567"))
        var question = Self.question(.passcode, display: ":0")
        question.change = UserQuestion.Change(.addsMachine, name: "mallory")
        _ = try ask(question)
        #expect(system.kinds == [.passcode] && session.kinds.isEmpty)
    }

    @Test("Where no session agent is there, or it reaches nobody, the system agent is asked")
    func absent() throws {
        for answer in [TestUser.Answer.gone, .unreachable] {
            session.will(answer)
            system.will(.cancel)
            #expect(try ask(Self.question(.passcode, terminal: "/dev/pts/1", display: ":0")) == "cancelled")
        }
        #expect(session.kinds.count == 2 && system.kinds.count == 2)
    }

    @Test("A question whose time is over on the display is put nowhere else")
    func late() throws {
        session.will(.gone)
        let answer = try agents.ask(Self.question(.passcode, display: ":0"), by: .now)
        #expect("\(answer)" == "timedOut" && system.kinds.isEmpty)
    }

    @Test("A question that was withdrawn is put nowhere else, whatever becomes of the session agent")
    func withdrawn() throws {
        session.will(.wait)
        let question = Self.question(.passcode, terminal: "/dev/pts/1", display: ":0")
        let answer = Monitor<UserAnswer?>(nil)
        let thread = try Thread(named: "asks") { [agents] in
            let given = try? agents.ask(question, by: soon)
            answer.update { $0 = given }
        }
        session.wait(for: 1)
        agents.withdraw(question.context)
        thread.join()
        #expect("\(answer.update { $0 }.map { "\($0)" } ?? "")" == "withdrawn" && system.kinds.isEmpty)
    }

    @Test("A finger that nobody can be told of gives way to the passcode on the display")
    func fallsBack() throws {
        var question = Self.question(.finger, display: ":0")
        question.allowsFallback = true
        #expect(try ask(question) == "unreachable")
        session.find(AgentReport())
        #expect(try ask(question) == "fallback")
        question.allowsFallback = false
        #expect(try ask(question) == "unreachable")
        question.allowsFallback = true
        question.prompt.interaction = .never
        #expect(try ask(question) == "unreachable")
    }

    @Test("The report has the display of a session agent, and all else of the system agent")
    func reports() {
        #expect(agents.found() == nil)
        var (own, theirs) = (AgentReport(), AgentReport())
        (own.session, own.graphicalPinentry) = ("c2", "/own")
        (theirs.session, theirs.graphicalPinentry, theirs.sensor) = ("c666", "/usr/bin/pinentry-qt", "a lie")
        system.find(own)
        #expect(agents.found()?.graphicalPinentry == "")
        session.find(theirs)
        own.graphicalPinentry = "/usr/bin/pinentry-qt"
        #expect(agents.found() == own)
    }
}
