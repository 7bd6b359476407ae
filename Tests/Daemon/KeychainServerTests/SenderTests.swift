import KeychainModel
import KeychainPolicy
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("A request is its sender's, and that is the process that connected")
struct SenderTests {
    /// Has a child of this process, which holds a copy of the connection, send something over it.
    private func sendFromChild(_ client: RawClient, _ bytes: [UInt8]) {
        let child = ForkedChild {
            do { try client.send(bytes) } catch { return 1 }
            return 0
        }
        #expect(child.waitForExit() == 0)
    }

    @Test("What a forked child asks over its parent's connection is refused, and costs the connection")
    func inherited() throws {
        let server = try RunningServer()
        let client = try server.connect()
        #expect(try client.ask(Frames.search(id: 1))?.status == 0)
        sendFromChild(client, Frames.search(id: 2))
        let answer = try #require(try client.receive())
        #expect(answer.id == 2 && answer.refusal?.rule == .foreignSender)
        #expect(try client.isClosed())
        #expect(server.standIn.record.searches == [1])
    }

    @Test(
        "The first bytes of a connection may not come from another process either, nor the rest of a request",
        arguments: [0, 10])
    func anyByte(own count: Int) throws {
        let server = try RunningServer()
        let client = try server.connect()
        let frame = Frames.add(id: 1)
        if count > 0 { try client.send(Array(frame.prefix(count))) }
        sendFromChild(client, Array(frame.dropFirst(count)))
        if count == 0 { #expect(try client.receive()?.refusal?.rule == .foreignSender) }
        #expect(try client.isClosed())
        #expect(server.standIn.record.batches.isEmpty)
    }

    @Test("Any thread of the process may ask")
    func threads() throws {
        let server = try RunningServer()
        let client = Sendably(try server.connect())
        for id: UInt32 in 1...2 {
            let thread = try Thread(named: "asking") { try? client.value.send(Frames.search(id: id)) }
            thread.join()
            #expect(try client.value.receive()?.status == 0)
        }
    }

    private struct Sendably: @unchecked Sendable {
        let value: RawClient
        init(_ value: RawClient) { self.value = value }
    }

    @Test("A process that has ended, or is not what it was, is refused from then on, whoever has its number")
    func changes() throws {
        let process = StandInProcess()
        let server = try RunningServer { _ in .known(IdentifiedCaller(RunningServer.caller, process: process)) }
        let client = try server.connect()
        #expect(try client.ask(Frames.search(id: 1))?.status == 0)
        process.change()
        for frame in [
            Frames.search(id: 2), Frames.add(id: 2), Frames.device(.status, id: 2), Frames.introduction(.begin, id: 2),
        ] {
            #expect(try client.ask(frame)?.refusal?.rule == .foreignSender)
        }
        #expect(server.standIn.record.searches == [1] && server.standIn.record.batches.isEmpty)
    }
}

@Suite("An anchored program shows first that it asks itself")
struct IntroductionTests {
    private static let anchored = CallerIdentity(
        user: 1, process: 2, program: "/bin/anchored", isAnchored: true, groups: ["group"])

    private func server(_ caller: CallerIdentity = anchored) throws -> RunningServer {
        try RunningServer { _ in .known(IdentifiedCaller(lasting: caller)) }
    }

    private func number(_ client: RawClient) throws -> [UInt8] {
        let answer = try #require(try client.ask(Frames.introduction(.begin)))
        return try IntroductionRequest.number(status: answer.status, body: answer.body)
    }

    @Test("Without the number it is refused everything; with it, it is served")
    func introduces() throws {
        let server = try server()
        let client = try server.connect()
        for frame in [
            Frames.search(id: 1), Frames.add(id: 1), Frames.device(.status, id: 1), Frames.key(id: 1),
            Frames.evaluation(id: 1),
        ] {
            #expect(try client.ask(frame)?.refusal?.rule == .notIntroduced)
        }
        let given = try number(client)
        #expect(given.count == IntroductionRequest.numberSize)
        #expect(try client.ask(Frames.search(id: 2))?.refusal?.rule == .notIntroduced)
        #expect(try client.ask(Frames.introduction(.finish(number: given)))?.status == 0)
        #expect(try client.ask(Frames.search(id: 3))?.status == 0)
        #expect(server.standIn.record.searches == [3] && server.standIn.record.batches.isEmpty)
    }

    @Test("A number serves its own connection, the last one that was given, and once")
    func numbers() throws {
        let server = try server()
        let (client, other) = (try server.connect(), try server.connect())
        let (first, second, foreign) = (try number(client), try number(client), try number(other))
        #expect(Set([first, second, foreign]).count == 3)
        for wrong in [first, second] {
            // The first wrong one takes the right one back.
            #expect(try client.ask(Frames.introduction(.finish(number: wrong)))?.refusal?.rule == .notIntroduced)
        }
        _ = try number(client)
        #expect(try client.ask(Frames.introduction(.finish(number: foreign)))?.refusal?.rule == .notIntroduced)
        #expect(try client.ask(Frames.search(id: 1))?.refusal?.rule == .notIntroduced)
        let last = try number(client)
        #expect(try client.ask(Frames.introduction(.finish(number: last)))?.status == 0)
        #expect(try client.ask(Frames.introduction(.finish(number: last)))?.refusal?.rule == .notIntroduced)
    }

    @Test("No number was given to who sends one first, zeros or nothing at all")
    func guesses() throws {
        let server = try server()
        let client = try server.connect()
        let zeros = [UInt8](repeating: 0, count: IntroductionRequest.numberSize)
        #expect(try client.ask(Frames.introduction(.finish(number: zeros)))?.refusal?.rule == .notIntroduced)
        #expect(try client.ask(Frames.search(id: 1))?.refusal?.rule == .notIntroduced)
    }

    @Test("A number of another size is no introduction and costs the connection", arguments: [1, 15, 17])
    func sizes(count: Int) throws {
        let server = try server()
        let client = try server.connect()
        let short = IntroductionRequest.finish(number: [UInt8](repeating: 1, count: count))
        #expect(try client.ask(Frames.introduction(short))?.refusal?.rule == .malformedFrame)
        #expect(try client.isClosed())
    }

    @Test("Whoever is not anchored need not introduce itself, and may")
    func others() throws {
        let server = try server(RunningServer.caller)
        let client = try server.connect()
        #expect(try client.ask(Frames.search(id: 1))?.status == 0)
        #expect(try client.ask(Frames.introduction(.finish(number: number(client))))?.status == 0)
        #expect(try client.ask(Frames.search(id: 2))?.status == 0)
    }
}
