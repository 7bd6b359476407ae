import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainWire

/// Neither end of the connection believes the other: here one of them is the test, with nothing between it and the bytes.
@Suite("A hostile end between enclave and agent")
struct HostileAgentTests {
    private static func bytes(_ secret: SecretBuffer) -> [UInt8] { secret.withSpan { $0.array(0, $0.count) } }

    /// The enclave's end against a raw agent.
    private final class RawAgent {
        let socket: EnclaveSocket
        let connection: AgentConnection
        let events = Monitor<[SessionEvent]>([])

        init(version: UInt32? = AgentFormat.version) throws {
            let (ours, theirs) = try UnixSocket.pair()
            socket = EnclaveSocket(theirs)
            connection = try AgentConnection(ours) { [events] event in events.update { $0.append(event) } }
            let body = SecretBuffer(capacity: 4)
            if let version { body.append(littleEndian: version) }
            try send(AgentWord(.hello).word, HostileAgentTests.bytes(body))
        }

        func send(_ word: UInt32, _ body: [UInt8]) throws { try socket.send(word, body.span, deadline: soon) }

        /// Answers the next call with these bytes, and gives what the caller got.
        func refusal(_ kind: UserQuestion.Kind, answering body: [UInt8]) throws -> Refusal? {
            let refused = Monitor<Refusal?>(nil)
            let thread = try Thread(named: "asker") { [connection] in
                let refusal = failure { () throws(Refusal) in
                    try connection.ask(ScriptedUser.question(kind), by: soon)
                }
                refused.update { $0 = refusal }
            }
            let message = try #require(try socket.receive(deadline: soon))
            let word = try #require(AgentWord(message.word))
            #expect(word.operation == .ask)
            try send(AgentWord(.answer, word.id).word, body)
            thread.join()
            return refused.update { $0 }
        }

        var hasEnded: Bool { failure { () throws(Refusal) in try connection.report() }?.rule == .unavailable }
    }

    @Test(
        "an answer that the question cannot have, or that cannot be read, is none, and ends the agent",
        arguments: [
            (.finger, [3, 4, 0, 0, 0, 1, 2, 3, 4]), (.passcode, [1]), (.passcode, [2]), (.finger, [4]),
            (.loginPassword, [3, 0, 0, 0, 0]), (.finger, [0]), (.finger, [9]), (.finger, []), (.finger, [1, 1]),
            (.passcode, [3]), (.passcode, [3, 5, 0, 0, 0, 1]), (.passcode, [3, 0xff, 0xff, 0xff, 0xff]),
        ] as [(UserQuestion.Kind, [UInt8])])
    func answers(_ kind: UserQuestion.Kind, _ body: [UInt8]) throws {
        let agent = try RawAgent()
        #expect(try agent.refusal(kind, answering: body)?.rule == .malformedFrame)
        #expect(agent.hasEnded)
    }

    @Test("a secret that is too long is none")
    func longSecret() throws {
        let count = AgentFormat.secretBytes + 1
        let body = [3, UInt8(count & 0xff), UInt8(count >> 8), 0, 0] + [UInt8](repeating: 1, count: count)
        #expect(try RawAgent().refusal(.passcode, answering: body)?.rule == .malformedFrame)
    }

    @Test("an agent of another release, or without a greeting, is not asked", arguments: [nil, 0, 2] as [UInt32?])
    func version(_ version: UInt32?) throws {
        #expect(try RawAgent(version: version).hasEnded)
    }

    @Test(
        "what an agent may not say ends it",
        arguments: [
            (0, []), (10, []), (0xff, []), (1, [1, 0, 0, 0]), (2, []), (4, []), (5, []), (9, []), (8, []), (8, [0]),
            (8, [5]), (8, [1, 1]),
        ] as [(UInt32, [UInt8])])
    func words(_ operation: UInt32, _ body: [UInt8]) throws {
        let agent = try RawAgent()
        try agent.send(operation, body)
        #expect(agent.hasEnded)
        #expect(agent.events.update { $0 }.isEmpty)
    }

    @Test("a length beyond all limits ends it, and answers nobody waits for do not")
    func lengths() throws {
        let agent = try RawAgent()
        try agent.send(AgentWord(.answer, 77).word, [1])
        try agent.send(AgentWord(.busy, 78).word, [])
        try agent.send(AgentWord(.event, 1).word, [SessionEvent.locked.rawValue])
        #expect(agent.events.wait(deadline: soon) { $0.first } == .locked)
        try agent.socket.socket.sendFully([0xff, 0xff, 0xff, 0x7f, 6, 0, 0, 0].span, deadline: soon)
        #expect(agent.hasEnded)
    }

    @Test("biometry that an agent cannot know, or of another size, is none")
    func biometry() throws {
        for body in [[2, 0, 0, 0, 0], [3, 0, 0, 0, 0], [1, 1, 0, 0, 0, 1], [0, 1, 0, 0, 0, 1], [9, 0, 0, 0, 0], [2]] {
            var reader = WireReader(SecretBytes(copying: body.map(UInt8.init).span))
            let refused = failure { () throws(Refusal) in try BiometryStatus(forAgentFrom: &reader) }
            #expect(refused?.rule == .malformedFrame, "\(body)")
        }
    }

    @Test("an enclave that breaks the format loses the agent, and its user is asked nothing")
    func hostileEnclave() throws {
        let content = SecretBuffer()
        content.append(littleEndian: UInt32(1000))
        ScriptedUser.question(.finger).append(to: content)
        let whole = Self.bytes(content)
        var bodies: [(AgentOperation, [UInt8])] = [(.ask, whole + [0]), (.withdraw, [1]), (.hello, []), (.event, [1])]
        bodies += stride(from: 0, to: whole.count, by: 7).map { (.ask, Array(whole.prefix($0))) }
        for (operation, body) in bodies {
            let user = ScriptedUser { _, _, _ in .cancelled }
            let (ours, theirs) = try UnixSocket.pair()
            let server = try AgentServer(user, channel: theirs)
            let thread = try Thread(named: "agent") { server.run() }
            let socket = EnclaveSocket(ours)
            #expect(try socket.receive(deadline: soon)?.word == AgentWord(.hello).word)
            try socket.send(AgentWord(operation, 1).word, body.span, deadline: soon)
            thread.join()
            #expect(user.questions.isEmpty, "\(operation) \(body.count)")
        }
    }

    @Test("questions with any bytes in them are refused or asked, and end nothing else")
    func mutations() throws {
        let content = SecretBuffer()
        ScriptedUser.question(.finger).append(to: content)
        var random = SplitMix64(seed: 7)
        for _ in 0..<2000 {
            var reader = WireReader(SecretBytes(copying: random.mutate(Self.bytes(content)).span))
            guard let question = try? UserQuestion(from: &reader) else { continue }
            let again = SecretBuffer()
            question.append(to: again)
            var other = WireReader(again.copy())
            #expect(try UserQuestion(from: &other) == question)
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
        let threads = try (0..<30).map { _ in
            try Thread(named: "asker") {
                let refusal = failure { () throws(Refusal) in try pair.connection.ask(question, by: soon) }
                if refusal?.rule == .unavailable { busy.update { $0 += 1 } }
            }
        }
        busy.wait { $0 == 29 ? () : nil }
        pair.connection.withdraw(question.context)
        for thread in threads { thread.join() }
        #expect(try pair.connection.biometry() == user.status)
    }
}
