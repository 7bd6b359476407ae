import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import PostgresTransport

/// A circle whose machines reach their server by a pooler.
private struct PooledCircle {
    let hosted: HostedCircle
    let pooler: Pooler

    init(_ mode: Pooler.Mode) throws {
        hosted = try HostedCircle()
        pooler = try Pooler(hosted.server, mode)
    }

    func machine(_ device: MemberID, looks: Looks = Looks()) throws -> PostgresTransport {
        PostgresTransport(
            try pooler.address, circle: hosted.circle, device: device,
            token: [UInt8](repeating: UInt8(device.number), count: 32), looks: looks)
    }
}

@Suite("A PostgreSQL server carries a circle behind a pooler", .enabled(if: PostgresServer.isHere), .serialized)
struct PoolerTests {
    @Test("Machines find what others commit, up to the largest batch, and discard what is theirs")
    func carries() throws {
        let circle = try PooledCircle(.transaction)
        let (first, second) = (circle.hosted.first, circle.hosted.second)
        let (one, other) = (try circle.machine(first), try circle.machine(second))
        try one.check()
        let large = [UInt8](repeating: 7, count: 500_000)
        #expect(try one.commit(large, in: circle.hosted.slot(first, 1)) == .done)
        #expect(try one.commit([2], in: circle.hosted.slot(first, 2)) == .done)
        #expect(try one.commit([3], in: circle.hosted.slot(first, 2)) == .occupied([2]))
        #expect(try one.commit([4], in: circle.hosted.slot(first, 1, part: 0)) == .done)
        #expect(try other.commit([9], in: circle.hosted.slot(second, 1)) == .done)
        let found = try other.changes(after: [:], atMost: 1 << 20)
        #expect(found.batches.map(\.bytes) == [large, [2], [9]] && found.isComplete)
        #expect(try other.read(circle.hosted.slot(first, 1, part: 0)) == [4])
        try one.discard([circle.hosted.slot(first, 1)])
        #expect(try other.changes(after: [:], atMost: 1 << 20).batches.map(\.bytes) == [[2], [9]])
    }

    @Test("A machine notices that it is told of nothing, and looks each minute, and less often when nothing changes")
    func looks() throws {
        let circle = try PooledCircle(.transaction)
        let day = try CarrierDay { try circle.machine(circle.hosted.second, looks: $0) }
        #expect(try day.machine.wait(until: soon))
        _ = try day.machine.changes(after: [:], atMost: 1)
        #expect(try !day.machine.wait(until: .now))
        _ = try circle.machine(circle.hosted.first).commit([1], in: circle.hosted.slot(circle.hosted.first, 1))
        for _ in 0..<3 {
            day.pass(60_000)
            #expect(try day.machine.wait(until: .now))
            #expect(try day.machine.changes(after: [:], atMost: 1).ends == [circle.hosted.first: 1])
        }
        let rounds = try day.rounds()
        #expect((100...140).contains(rounds), "\(rounds) rounds")
    }

    @Test("A pooler that keeps a connection for each client tells of all, and no look is due")
    func tells() throws {
        let circle = try PooledCircle(.session)
        let day = try CarrierDay { try circle.machine(circle.hosted.second, looks: $0) }
        let one = try circle.machine(circle.hosted.first)
        #expect(try day.machine.wait(until: soon))
        for seq in UInt64(1)...3 {
            _ = try one.commit([1], in: circle.hosted.slot(circle.hosted.first, seq))
            #expect(try day.machine.wait(until: soon))
        }
        day.pass(60_000)
        #expect(try !day.machine.wait(until: .now))
    }

    @Test("What was acknowledged is there after the pooler was killed, and machines go on when it is back")
    func killed() throws {
        let circle = try PooledCircle(.transaction)
        let machine = try circle.machine(circle.hosted.first)
        for seq in UInt64(1)...3 {
            _ = try machine.commit([UInt8(seq)], in: circle.hosted.slot(circle.hosted.first, seq))
        }
        #expect(try machine.wait(until: soon))
        circle.pooler.kill()
        let fourth = circle.hosted.slot(circle.hosted.first, 4)
        #expect(throws: TransportProblem.self) { try machine.commit([4], in: fourth) }
        #expect(throws: TransportProblem.self) { try machine.wait(until: soon) }
        try circle.pooler.start()
        #expect(try machine.commit([4], in: fourth) == .done)
        #expect(try machine.changes(after: [:], atMost: 1 << 20).batches.map(\.bytes) == [[1], [2], [3], [4]])
        #expect(try machine.wait(until: soon))
    }
}
