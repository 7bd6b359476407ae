import KeychainModel
import KeychainServer
import KeychainWire
import LinuxSystem
import ServerTestSupport
import Testing

@Suite("Frames arrive in whatever pieces")
struct FramingTests {
    @Test("A search is answered with what the engine found, for the caller it comes from")
    func answersSearch() throws {
        let server = try RunningServer()
        let answer = try #require(try server.connect().ask(Frames.search("alice", id: 7)))
        #expect(answer.id == 7)
        let item = try #require(try answer.response().items.first)
        #expect(item.attributes[.account] == .string("alice"))
        #expect(item.attributes[.label] == .string("/bin/program"))
    }

    @Test("A write and a device request are answered through the threads that may block")
    func answersSlowRequests() throws {
        let server = try RunningServer()
        let client = try server.connect()
        #expect(try client.ask(Frames.add(id: 1))?.status == 0)
        let answer = try #require(try client.ask(Frames.device(.status, id: 2)))
        var reader = WireReader(answer.body)
        #expect(try reader.notice() == nil)
        #expect(try DeviceStatus(from: &reader) == StandIn.status)
    }

    @Test("A request that comes byte by byte is answered")
    func takesSingleBytes() throws {
        let server = try RunningServer()
        let client = try server.connect()
        for byte in Frames.search(id: 3) { try client.send([byte]) }
        #expect(try client.receive()?.id == 3)
    }

    @Test("Requests sent together are answered one by one, also where a piece ends inside of one")
    func takesSeveralAtOnce() throws {
        let server = try RunningServer()
        let client = try server.connect()
        let frames = (1...20).flatMap { Frames.search("account \($0)", id: $0) }
        try client.send(Array(frames.prefix(frames.count - 5)))
        for id in 1...19 { #expect(try client.receive()?.id == UInt32(id)) }
        try client.send(Array(frames.suffix(5)))
        #expect(try client.receive()?.id == 20)
    }

    @Test("A request of the largest size is taken whole")
    func takesLargest() throws {
        let server = try RunningServer()
        let fixed = Frames.search("", id: 1).count - FrameHeader.size
        let account = String(repeating: "x", count: WireLimits.requestBody - fixed)
        let frame = Frames.search(account)
        #expect(frame.count == FrameHeader.size + WireLimits.requestBody)
        let answer = try #require(try server.connect().ask(frame))
        #expect(try answer.response().items.first?.attributes[.account] == .string(account))
    }

    @Test("A client that says it will send no more still gets its answers")
    func answersAfterHalfClose() throws {
        let server = try RunningServer()
        let client = try server.connect()
        try client.send(Frames.search(id: 1) + Frames.add(id: 2))
        client.finishSending()
        #expect(Set([try client.receive()?.id, try client.receive()?.id]) == [1, 2])
        #expect(try client.isClosed())
    }

    @Test("Several loops share the connections", arguments: [1, 3])
    func servesOnLoops(count: Int) throws {
        var limits = ServerLimits()
        limits.loops = count
        let server = try RunningServer(limits: limits)
        let clients = try (0..<30).map { _ in try server.connect() }
        for (id, client) in clients.enumerated() { try client.send(Frames.search(id: UInt32(id))) }
        for (id, client) in clients.enumerated() { #expect(try client.receive()?.id == UInt32(id)) }
    }
}
