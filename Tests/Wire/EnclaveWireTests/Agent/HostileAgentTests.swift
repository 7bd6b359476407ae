import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import EnclaveWire
@testable import KeychainWire

/// Neither end of the connection believes the other: here one of them is the test, with nothing between it and the
/// bytes.
@Suite("A hostile end between enclave and agent")
struct HostileAgentTests {
    private static func bytes(_ secret: SecretBuffer) -> [UInt8] { secret.withSpan { $0.array(0, $0.count) } }

    /// The enclave's end against a raw agent.
    private final class RawAgent {
        let socket: EnclaveSocket
        let connection: AgentConnection
        let events: Monitor<[SessionEvent]>

        private init(_ socket: EnclaveSocket, _ connection: AgentConnection, _ events: Monitor<[SessionEvent]>) {
            (self.socket, self.connection, self.events) = (socket, connection, events)
        }

        static func start(version: UInt32? = AgentFormat.version) throws -> RawAgent {
            let (ours, theirs) = try UnixSocket.pair()
            let events = Monitor<[SessionEvent]>([])
            let connection = try AgentConnection(ours) { event in events.update { $0.append(event) } }
            let agent = RawAgent(EnclaveSocket(theirs), connection, events)
            let body = SecretBuffer(capacity: 4)
            if let version { body.append(littleEndian: version) }
            try agent.send(AgentWord(.hello).word, HostileAgentTests.bytes(body))
            return agent
        }

        func send(_ word: UInt32, _ body: [UInt8]) throws { try socket.send(word, body.span, deadline: soon) }

        /// Answers the next call with these bytes, and gives what the caller got.
        func refusal(_ kind: UserQuestion.Kind, answering body: [UInt8]) throws -> Refusal? {
            let refused = Monitor<Refusal?>(nil)
            let thread = try Thread(named: "asker") { [connection] in
                do throws(Refusal) { _ = try connection.ask(ScriptedUser.question(kind), by: soon) } catch {
                    refused.update { $0 = error }
                }
            }
            let message = try socket.receive(deadline: soon)
            let word = try #require(message.flatMap { AgentWord($0.word) })
            #expect(word.operation == .ask)
            try send(AgentWord(.answer, word.id).word, body)
            thread.join()
            return refused.update { $0 }
        }

        var hasEnded: Bool {
            do throws(Refusal) {
                _ = try connection.report()
                return false
            } catch { return error.rule == .unavailable }
        }
    }

    @Test(
        "an answer that the question cannot have, or that cannot be read, is none, and ends the agent",
        arguments: [
            (.finger, [3, 4, 0, 0, 0, 1, 2, 3, 4]), (.passcode, [1]), (.passcode, [2]), (.finger, [4]),
            (.loginPassword, [3, 0, 0, 0, 0]), (.finger, [0]), (.finger, [9]), (.finger, []), (.finger, [1, 1]),
            (.finger, [10]), (.shownDigits, [1]), (.shownDigits, [3, 0, 0, 0, 0]), (.digits, [9]), (.digits, [1]),
            (.passcode, [3]), (.passcode, [3, 5, 0, 0, 0, 1]), (.passcode, [3, 0xff, 0xff, 0xff, 0xff]),
        ] as [(UserQuestion.Kind, [UInt8])])
    func answers(_ kind: UserQuestion.Kind, _ body: [UInt8]) throws {
        let agent = try RawAgent.start()
        let refused = try agent.refusal(kind, answering: body)
        #expect(refused?.rule == .malformedFrame)
        #expect(agent.hasEnded)
    }

    @Test("a secret that is too long is none")
    func longSecret() throws {
        let count = AgentFormat.secretBytes + 1
        let body = [3, UInt8(count & 0xff), UInt8(count >> 8), 0, 0] + [UInt8](repeating: 1, count: count)
        let agent = try RawAgent.start()
        let refused = try agent.refusal(.passcode, answering: body)
        #expect(refused?.rule == .malformedFrame)
    }

    @Test(
        "an agent of another release, or without a greeting, is not asked", arguments: [nil, 0, 1, 2, 4] as [UInt32?])
    func version(_ version: UInt32?) throws {
        let agent = try RawAgent.start(version: version)
        #expect(agent.hasEnded)
    }

    @Test(
        "what an agent may not say ends it",
        arguments: [
            (0, []), (10, []), (0xff, []), (1, [1, 0, 0, 0]), (2, []), (4, []), (5, []), (9, []), (8, []), (8, [0]),
            (8, [6]), (8, [1, 1]),
        ] as [(UInt32, [UInt8])])
    func words(_ operation: UInt32, _ body: [UInt8]) throws {
        let agent = try RawAgent.start()
        try agent.send(operation, body)
        #expect(agent.hasEnded)
        #expect(agent.events.update { $0 }.isEmpty)
    }

    @Test("a length beyond all limits ends it, and answers nobody waits for do not")
    func lengths() throws {
        let agent = try RawAgent.start()
        try agent.send(AgentWord(.answer, 77).word, [1])
        try agent.send(AgentWord(.busy, 78).word, [])
        try agent.send(AgentWord(.event, 1).word, [SessionEvent.locked.rawValue])
        let event = agent.events.wait(deadline: soon) { $0.first }
        #expect(event == .locked)
        try agent.socket.socket.sendFully([0xff, 0xff, 0xff, 0x7f, 6, 0, 0, 0].span, deadline: soon)
        #expect(agent.hasEnded)
    }

    @Test(
        "biometry that an agent cannot know, or of another size, is none",
        arguments: [
            [2, 0, 0, 0, 0], [3, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1], [0, 1, 0, 0, 0, 1], [9, 0, 0, 0, 0], [2],
        ] as [[UInt8]])
    func biometry(_ body: [UInt8]) {
        let secret = SecretBytes(copying: body.span)
        var reader = WireReader(secret)
        let refused = failure { () throws(Refusal) in try BiometryStatus(forAgentFrom: &reader) }
        #expect(refused?.rule == .malformedFrame)
    }

    private static func question(in body: [UInt8]) -> UserQuestion? {
        let secret = SecretBytes(copying: body.span)
        var reader = WireReader(secret)
        do throws(Refusal) { return try UserQuestion(from: &reader) } catch { return nil }
    }

    private static func bytes(of question: UserQuestion) -> [UInt8] {
        let content = SecretBuffer()
        question.append(to: content)
        return bytes(content)
    }

    @Test("an enclave that breaks the format loses the agent, and its user is asked nothing")
    func hostileEnclave() throws {
        let whole = [0xe8, 3, 0, 0] + Self.bytes(of: ScriptedUser.question(.finger))
        var bodies: [(AgentOperation, [UInt8])] = [(.ask, whole + [0]), (.withdraw, [1]), (.hello, []), (.event, [1])]
        for count in stride(from: 0, to: whole.count, by: 7) { bodies.append((.ask, Array(whole.prefix(count)))) }
        for (operation, body) in bodies {
            let asked = try Self.questions(after: operation, body)
            #expect(asked.isEmpty, "\(operation) \(body.count)")
        }
    }

    /// The questions of an enclave that sends these messages, until the agent has ended.
    private static func questions(after operation: AgentOperation, _ body: [UInt8]) throws -> [UserQuestion] {
        let user = ScriptedUser { _, _, _ in .cancelled }
        let (ours, theirs) = try UnixSocket.pair()
        let server = try AgentServer(user, channel: theirs)
        let thread = try Thread(named: "agent") { server.run() }
        let socket = EnclaveSocket(ours)
        let hello = try socket.receive(deadline: soon)
        #expect(hello?.word == AgentWord(.hello).word)
        try socket.send(AgentWord(operation, 1).word, body.span, deadline: soon)
        thread.join()
        return user.questions
    }

    @Test("questions with any bytes in them are refused or asked, and end nothing else")
    func mutations() throws {
        var change = ScriptedUser.question(.passcode)
        change.change = .init(.removesMachine, name: "phone", fingerprint: "0123", others: "watch")
        #expect(Self.question(in: Self.bytes(of: change)) == change)
        let whole = [ScriptedUser.question(.finger), change].map(Self.bytes(of:))
        var random = SplitMix64(seed: 7)
        for round in 0..<2000 {
            let mutated = random.mutate(whole[round % 2])
            if let question = Self.question(in: mutated) {
                #expect(Self.question(in: Self.bytes(of: question)) == question)
            }
        }
    }

    @Test("who asks for more than the agent holds is told so, and served on")
    func flood() throws {
        let user = ScriptedUser { _, _, withdrawal in
            try? withdrawal.descriptor.wait(for: .readable, deadline: soon)
            return .withdrawn
        }
        let pair = try ServedAgent(user)
        let busy = Monitor(0)
        let question = ScriptedUser.question(.finger)
        var threads: [Thread] = []
        for _ in 0..<30 {
            let thread = try Thread(named: "asker") {
                do throws(Refusal) { _ = try pair.connection.ask(question, by: soon) } catch {
                    busy.update { $0 += 1 }
                }
            }
            threads.append(thread)
        }
        busy.wait { $0 == 29 ? () : nil }
        pair.connection.withdraw(question.context)
        for thread in threads { thread.join() }
        #expect(try pair.connection.biometry() == user.status)
    }
}
