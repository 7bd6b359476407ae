import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Whoever waits for a person holds up nobody else")
struct PromptFlowTests {
    @Test("An open prompt holds up neither searches, writes, keys nor device requests, not even its own connection's")
    func worksBesidePrompts() throws {
        var limits = ServerLimits()
        limits.promptWorkers = 1
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.prompt])
        let client = try server.connect()
        try client.send(Frames.evaluation(id: 1))
        #expect(server.standIn.waits { $0.prompts == [1] })
        #expect(try client.ask(Frames.search(id: 2))?.id == 2)
        #expect(try client.ask(Frames.add(id: 3))?.id == 3)
        #expect(try client.ask(Frames.key(id: 4))?.id == 4)
        #expect(try client.ask(Frames.device(.status, id: 5))?.id == 5)
        #expect(try client.ask(Frames.authentication(.capabilities, id: 6))?.id == 6)
        #expect(try client.ask(Frames.authentication(.invalidate(context: Frames.context(1)), id: 7))?.id == 7)
        server.standIn.release()
        let answer = try #require(try client.receive())
        #expect(answer.id == 1 && answer.status == 0)
    }

    @Test("A client that hangs up while its prompt is open has it withdrawn")
    func hangsUp() throws {
        let server = try RunningServer()
        server.standIn.hold([.prompt])
        do {
            let client = try server.connect()
            try client.send(Frames.evaluation(id: 1))
            #expect(server.standIn.waits { $0.prompts == [1] })
        }
        #expect(server.standIn.waits { $0.withdrawn == 1 })
    }

    @Test("A withdrawal that comes before its prompt is repeated until the prompt has gone")
    func isWithdrawnAgain() throws {
        let server = try RunningServer()
        server.standIn.hold([.prompt])
        server.standIn.miss(2)
        do {
            let client = try server.connect()
            try client.send(Frames.evaluation(id: 1))
            #expect(server.standIn.waits { $0.prompts == [1] })
        }
        #expect(server.standIn.waits { $0.withdrawn == 3 })
    }

    @Test("A client that has its answer withdraws nothing when it goes")
    func answered() throws {
        let server = try RunningServer()
        do {
            let client = try server.connect()
            #expect(try client.ask(Frames.evaluation(id: 1))?.status == 0)
        }
        server.stop()
        #expect(server.standIn.record.withdrawn == 0)
    }

    @Test("So many requests may wait for the user; the next one is told that there are too many")
    func isBounded() throws {
        var limits = ServerLimits()
        (limits.promptWorkers, limits.queuedPrompts) = (1, 2)
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.prompt])
        let client = try server.connect()
        try client.send(Frames.evaluation(id: 1))
        #expect(server.standIn.waits { $0.prompts == [1] })
        try client.send(Frames.evaluation(id: 2) + Frames.evaluation(id: 3) + Frames.evaluation(id: 4))
        let answer = try #require(try client.receive())
        #expect(answer.id == 4 && answer.refusal?.rule == .unavailable)
        server.standIn.release()
        #expect(Set(try (0..<3).map { _ in try client.receive()?.id }) == [1, 2, 3])
    }

    @Test("A prompt that nobody began before its deadline is not begun after it")
    func deadline() throws {
        var limits = ServerLimits()
        limits.promptWorkers = 1
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.prompt])
        let client = try server.connect()
        try client.send(Frames.evaluation(id: 1))
        #expect(server.standIn.waits { $0.prompts == [1] })
        try client.send(Frames.evaluation(id: 2, deadline: 1))
        #expect(try client.ask(Frames.search(id: 3))?.id == 3)
        try Self.wait(milliseconds: 2)
        server.standIn.release()
        let answers = try (0..<2).map { _ in try #require(try client.receive()) }
        #expect(answers.first { $0.id == 2 }?.refusal?.rule == .deadline)
        #expect(server.standIn.record.prompts == [1])
    }

    @Test("A server that stops withdraws the prompts that are open")
    func stops() throws {
        let server = try RunningServer()
        server.standIn.hold([.prompt])
        let client = try server.connect()
        try client.send(Frames.evaluation(id: 1))
        #expect(server.standIn.waits { $0.prompts == [1] })
        server.stopWhileHeld()
        #expect(server.standIn.record.withdrawn >= 1)
    }

    @Test("One descriptor may come with a prompt, and none with what asks nobody")
    func descriptors() throws {
        let server = try RunningServer()
        let password = try FileDescriptor.holding("secret")
        let client = try server.connect()
        #expect(try client.ask(Frames.evaluation(id: 1, descriptors: 1), attaching: [password])?.status == 0)
        let other = try server.connect()
        let refused = try other.ask(
            Frames.authentication(.capabilities, id: 2, descriptors: 1), attaching: [password])
        #expect(refused?.refusal?.rule == .malformedFrame)
        #expect(try other.isClosed())
    }

    /// Lets time pass by waiting for something that does not come.
    private static func wait(milliseconds: Int) throws {
        let (reader, writer) = try FileDescriptor.pipe()
        defer { extendLifetime(writer) }
        try? reader.wait(for: .readable, deadline: .after(milliseconds: milliseconds))
    }
}
