import Glibc
import KeychainModel
import LinuxSystem
import TestSupport

@testable import EnclaveWire
@testable import KeychainWire

/// A user interface whose user is a closure.
final class ScriptedUser: AgentService {
    let status = BiometryStatus(state: .ready, enrolment: [UInt8](repeating: 7, count: 32))
    let state: AgentReport = {
        var report = AgentReport()
        (report.sensor, report.session, report.hasSystemBus) = ("Sensor ä", "/session/_31", true)
        (report.graphicalPinentry, report.loginService) = ("/usr/bin/pinentry-qt", "login")
        return report
    }()
    private let answer: @Sendable (UserQuestion, Deadline, Withdrawal) -> UserAnswer
    private let asked = Monitor<[UserQuestion]>([])

    init(_ answer: @escaping @Sendable (UserQuestion, Deadline, Withdrawal) -> UserAnswer) { self.answer = answer }

    var questions: [UserQuestion] { asked.update { $0 } }

    func waitForQuestion() { asked.wait { $0.isEmpty ? nil : () } }

    func report() -> AgentReport { state }

    func biometry() -> BiometryStatus { status }

    func ask(_ question: UserQuestion, by deadline: Deadline, until withdrawal: Withdrawal) -> UserAnswer {
        asked.update { $0.append(question) }
        return answer(question, deadline, withdrawal)
    }

    /// A question with something in every part.
    static func question(_ kind: UserQuestion.Kind) -> UserQuestion {
        let surroundings = PromptEnvironment(
            terminal: "/dev/pts/7", environment: ["TERM": "xterm", "LANG": "zh_CN.UTF-8", "DISPLAY": ":0"])
        var prompt = Prompt(
            interaction: .terminal, reason: "因为", fallbackTitle: "", cancelTitle: "No", surroundings: surroundings)
        (prompt.program, prompt.item) = ("/usr/bin/program", "item")
        let context = AuthenticationContext(identifier: Array(0..<16), caller: Array(16..<48))
        return UserQuestion(kind, context, prompt)
    }

    static let plainAnswers: [(String, UserAnswer)] = [
        ("matched", .matched), ("noMatch", .noMatch), ("fallback", .fallback), ("cancelled", .cancelled),
        ("withdrawn", .withdrawn), ("unreachable", .unreachable), ("timedOut", .timedOut),
    ]
}

extension UserAnswer {
    /// Its case.
    var name: String { "\(self)".split(separator: "(").first.map(String.init) ?? "" }
}

/// Both ends of a connection in this process.
final class ServedAgent: Sendable {
    let connection: AgentConnection
    let server: AgentServer
    let thread: Thread
    let events = Monitor<[SessionEvent]>([])

    init(_ user: ScriptedUser) throws {
        let (ours, theirs) = try UnixSocket.pair()
        let server = try AgentServer(user, channel: theirs)
        self.server = server
        thread = try Thread(named: "agent") { server.run() }
        connection = try AgentConnection(ours) { [events] event in events.update { $0.append(event) } }
    }

    deinit {
        connection.close()
        thread.join()
    }
}
