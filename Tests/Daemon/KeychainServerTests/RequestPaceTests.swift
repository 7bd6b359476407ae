import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import ServerTestSupport
import TestSupport
import Testing

@testable import KeychainServer

@Suite("A program that asks too fast waits, and no other does")
struct RequestPaceTests {
    private static func server(
        _ rate: Int,
        identify: @escaping Registry.Identify = { _ in .known(IdentifiedCaller(lasting: RunningServer.caller)) }
    ) throws
        -> RunningServer
    {
        var limits = ServerLimits()
        limits.requestRate = rate
        // Nobody waits at the end for requests that have no allowance.
        limits.ending = 100
        return try RunningServer(limits: limits, identify: identify)
    }

    @Test("A second's allowance is there at once, and comes back as time passes; there is never more of it")
    func allowance() {
        let moment = Monitor(0 as UInt64)
        let limit = RequestRateLimit(50) { moment.update { $0 } }
        for (milliseconds, count) in [(0, 50), (19, 0), (2, 1), (500, 25), (60_000, 50), (0, 0)] as [(UInt64, Int)] {
            moment.update { $0 += milliseconds * 1_000_000 }
            var taken = 0
            while !limit.isExhausted {
                limit.spend()
                taken += 1
            }
            #expect(taken == count, "after \(milliseconds) ms")
        }
    }

    @Test("What is within a second's allowance is answered, what is beyond it as the allowance comes back")
    func waits() throws {
        let server = try Self.server(50)
        let client = try server.connect()
        let start = Clock.monotonicNanoseconds
        // The first request is not counted: before it nobody knows whose connection it is.
        for id in 1...51 { #expect(try client.ask(Frames.search(id: UInt32(id)))?.status == 0) }
        for id in 52...76 { #expect(try client.ask(Frames.search(id: UInt32(id)))?.status == 0) }
        // 25 more than the 50 that were there take half a second, whatever the burst took.
        #expect(Clock.monotonicNanoseconds - start >= 400_000_000)
    }

    @Test(
        "All connections of a program share its pace; nothing is refused, and frames that wait are answered in the end")
    func shared() throws {
        let server = try Self.server(40)
        let clients = try (0..<4).map { _ in try server.connect() }
        let start = Clock.monotonicNanoseconds
        for client in clients { try client.send((1...20).flatMap { Frames.search(id: $0) }) }
        for client in clients {
            for _ in 1...20 { #expect(try client.receive()?.status == 0) }
        }
        // 80 requests, 4 of them not counted, 40 at once.
        #expect(Clock.monotonicNanoseconds - start >= 700_000_000)
    }

    @Test("Another program is answered at once meanwhile")
    func others() throws {
        let programs = Monitor(0)
        let server = try Self.server(1) { _ in
            let number = programs.update { count in
                count += 1
                return count
            }
            return .known(
                IdentifiedCaller(
                    lasting: CallerIdentity(user: 1, process: 2, program: "/bin/\(number)", groups: ["group"])))
        }
        let (greedy, modest) = (try server.connect(), try server.connect())
        #expect(try greedy.ask(Frames.search(id: 1))?.id == 1)
        // The allowance is a second's; these take five minutes.
        try greedy.send((2...300).flatMap { Frames.search(id: $0) })
        #expect(server.standIn.waits { $0.searches.count >= 2 })
        for id: UInt32 in 1001...1002 { #expect(try modest.ask(Frames.search(id: id))?.status == 0) }
        #expect(!server.standIn.record.searches.contains(300))
    }

    @Test("Who leaves and comes back has no new allowance")
    func comesBack() throws {
        let server = try Self.server(20)
        let start = Clock.monotonicNanoseconds
        for _ in 0..<4 {
            let client = try server.connect()
            for id in 1...11 { #expect(try client.ask(Frames.search(id: UInt32(id)))?.status == 0) }
        }
        // 44 requests, the first of each connection not counted, 20 at once.
        #expect(Clock.monotonicNanoseconds - start >= 800_000_000)
    }

    @Test("Who is known when it connects has its first request counted, too")
    func countsFirst() throws {
        var limits = ServerLimits()
        limits.requestRate = 20
        let server = try RunningServer(limits: limits, recognize: { _ in RunningServer.caller })
        let start = Clock.monotonicNanoseconds
        for id in 1...40 { #expect(try server.connect().ask(Frames.search(id: UInt32(id)))?.status == 0) }
        #expect(Clock.monotonicNanoseconds - start >= 800_000_000)
    }

    @Test("Without a limit nobody waits")
    func unlimited() throws {
        let server = try Self.server(0)
        let client = try server.connect()
        for id in 1...200 { #expect(try client.ask(Frames.search(id: UInt32(id)))?.status == 0) }
    }

    @Test("A server ends though connections wait for their allowance")
    func stops() throws {
        let server = try Self.server(1)
        let client = try server.connect()
        try client.send((1...5).flatMap { Frames.search(id: $0) })
        #expect(server.standIn.waits { $0.searches.count >= 2 })
        server.stop()
    }
}
