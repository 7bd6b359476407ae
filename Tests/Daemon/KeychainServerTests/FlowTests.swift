import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@Suite("Nobody holds up the others")
struct FlowTests {
    @Test("A connection with many requests gets one answer per turn, so that another one is not kept waiting")
    func isFair() throws {
        let server = try RunningServer()
        server.standIn.hold([.search])
        let (greedy, modest) = (try server.connect(), try server.connect())
        try greedy.send((1...50).flatMap { Frames.search(id: $0) })
        #expect(server.standIn.waits { !$0.searches.isEmpty })
        try modest.send(Frames.search(id: 99))
        server.standIn.release()
        #expect(try modest.receive()?.id == 99)
        for id in 1...50 { #expect(try greedy.receive()?.id == UInt32(id)) }
        let place = try #require(server.standIn.record.searches.firstIndex(of: 99))
        // Behind the one that was under way, and the two that a turn may begin with.
        #expect(place <= 3)
    }

    @Test("A reader is told when its loop sleeps, and at the end of every turn")
    func lanesRest() throws {
        var limits = ServerLimits()
        limits.loops = 1
        let server = try RunningServer(limits: limits)
        let client = try server.connect()
        for id in 1...3 {
            let before = server.standIn.record
            #expect(try client.ask(Frames.search(id: UInt32(id)))?.id == UInt32(id))
            #expect(server.standIn.waits { $0.endedTransactions > before.endedTransactions && $0.turns > before.turns })
        }
    }

    @Test("A slow device request holds up neither searches nor writes, not even its own connection's")
    func worksBesideLoop() throws {
        let server = try RunningServer()
        server.standIn.hold([.device])
        let client = try server.connect()
        try client.send(Frames.device(.verify(from: .start), id: 1))
        #expect(server.standIn.waits { $0.devices == [.verify(from: .start)] })
        #expect(try client.ask(Frames.search(id: 2))?.id == 2)
        #expect(try client.ask(Frames.add(id: 3))?.id == 3)
        server.standIn.release()
        #expect(try client.receive()?.id == 1)
    }

    @Test("Keys wait behind no device request, and hold up no searches")
    func keysBesideDevice() throws {
        var limits = ServerLimits()
        (limits.workers, limits.keyWorkers) = (1, 1)
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.device])
        let client = try server.connect()
        try client.send(Frames.device(.verify(from: .start), id: 1))
        #expect(server.standIn.waits { $0.devices == [.verify(from: .start)] })
        #expect(try client.ask(Frames.key(id: 2))?.id == 2)
        server.standIn.hold([.device, .key])
        try client.send(Frames.key(id: 3))
        #expect(server.standIn.waits { $0.keys.count == 2 })
        #expect(try client.ask(Frames.search(id: 4))?.id == 4)
        server.standIn.release()
        #expect(Set(try (0..<2).map { _ in try client.receive()?.id }) == [1, 3])
    }

    @Test("No more than a bounded number of one connection's writes wait at a time; all are answered in the end")
    func boundsPipelining() throws {
        var limits = ServerLimits()
        limits.pipelined = 4
        let server = try RunningServer(limits: limits)
        server.standIn.hold([.write])
        let client = try server.connect()
        try client.send((1...40).flatMap { Frames.add(id: $0) })
        #expect(server.standIn.waits { !$0.batches.isEmpty })
        server.standIn.release()
        #expect(Set(try (0..<40).map { _ in try client.receive()?.id }) == Set((1...40).map { UInt32($0) }))
        #expect(server.standIn.record.batches.allSatisfy { $0.count <= 4 })
    }

    @Test("A client that does not read its answers is closed, and its requests are not all performed")
    func closesUnreadingClient() throws {
        var limits = ServerLimits()
        limits.stall = 50
        let server = try RunningServer(limits: limits)
        let client = try server.connect()
        let large = Frames.item(Frames.request(.copyMatching, account: "a", limit: .atMost(4000)))
        try client.send((0..<20).flatMap { _ in large })
        try client.waitForHangUp()
        #expect(server.standIn.record.listings.count < 10)
        #expect(try server.connect().ask(Frames.search())?.status == 0)
    }

    @Test("A client that reads late gets everything")
    func servesLateReader() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let large = Frames.item(Frames.request(.copyMatching, account: "a", limit: .atMost(4000)))
        try client.send((0..<5).flatMap { _ in large })
        // The second one is not begun before the first one is read.
        #expect(server.standIn.waits { !$0.listings.isEmpty })
        for _ in 0..<5 { #expect(try client.receive()?.response().items.count == 4000) }
    }

    @Test("Answers that the writer sends itself and those of the loop are whole frames, however late the client reads")
    func keepsFramesWhole() throws {
        let server = try RunningServer()
        let client = try server.connect()
        for round in 0..<20 {
            let first = UInt32(round * 4 + 1)
            // More than a socket takes at once, between writes whose answers go out from another thread.
            let large = Frames.item(Frames.request(.copyMatching, account: "a", limit: .atMost(4000)), id: first + 1)
            try client.send(
                Frames.add(id: first) + large + Frames.add(id: first + 2) + Frames.search(id: first + 3))
            let answers = try (0..<4).map { _ in try #require(try client.receive()) }
            #expect(Set(answers.map(\.id)) == Set(first..<first + 4))
            #expect(answers.allSatisfy { $0.status == 0 })
        }
    }

    @Test("A search that comes during a write of the same connection does not wait for it")
    func answersDuringWrite() throws {
        let server = try RunningServer()
        server.standIn.hold([.write])
        let client = try server.connect()
        try client.send(Frames.add(id: 1))
        #expect(server.standIn.waits { !$0.batches.isEmpty })
        #expect(try client.ask(Frames.search(id: 2))?.id == 2)
        server.standIn.release()
        #expect(try client.receive()?.id == 1)
    }

    @Test("A write that is answered while a long answer is half sent is answered behind it")
    func answersBehindHalfFrame() throws {
        let server = try RunningServer()
        server.standIn.hold([.write])
        let client = try server.connect()
        try client.send(Frames.add(id: 1))
        #expect(server.standIn.waits { !$0.batches.isEmpty })
        try client.send(Frames.item(Frames.request(.copyMatching, account: "a", limit: .atMost(4000)), id: 2))
        #expect(server.standIn.waits { $0.listings == [2] })
        server.standIn.release()
        let answers = try (0..<2).map { _ in try #require(try client.receive()) }
        #expect(Set(answers.map(\.id)) == [1, 2])
        #expect(try client.ask(Frames.search(id: 3))?.id == 3)
    }

    @Test("A client that goes while its write is under way costs nobody else anything")
    func survivesLeavingWriter() throws {
        let server = try RunningServer()
        server.standIn.hold([.write])
        for _ in 0..<10 { try server.connect().send(Frames.add()) }
        #expect(server.standIn.waits { !$0.batches.isEmpty })
        server.standIn.release()
        #expect(try server.connect().ask(Frames.add(id: 7))?.id == 7)
    }

    @Test("A client that sends half a frame is closed after a bounded time", arguments: [1, 15, 16, 20])
    func closesHalfFrame(count: Int) throws {
        var limits = ServerLimits()
        limits.stall = 50
        let server = try RunningServer(limits: limits)
        let (client, idle) = (try server.connect(), try server.connect())
        try client.send(Array(Frames.search().prefix(count)))
        #expect(try client.isClosed())
        #expect(try idle.ask(Frames.search())?.status == 0)
    }

    @Test("Thousands of connections may be idle, and each is served when it asks")
    func servesThousands() throws {
        let server = try RunningServer()
        let count = full(2000, gate: 200)
        let clients = try (0..<count).map { _ in try server.connect() }
        #expect(try clients[count - 1].ask(Frames.search())?.status == 0)
        #expect(server.server.connections == count)
        for client in clients { try client.send(Frames.search()) }
        for client in clients { #expect(try client.receive()?.status == 0) }
    }
}
