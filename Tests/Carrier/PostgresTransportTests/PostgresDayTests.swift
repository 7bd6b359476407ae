import CircleCarrier
import LinuxSystem
import PostgresTransport
import SyncTransports
import TestSupport
import Testing

/// A carrier's day, on a clock of the test's own.
final class CarrierDay {
    let machine: PostgresTransport
    private let time: Monitor<UInt64>

    /// - Parameter make: gives the transport of the carrier's machine.
    init(_ make: (Looks) throws -> PostgresTransport) throws {
        let time = Monitor<UInt64>(0)
        self.time = time
        machine = try make(Looks { time.update { $0 } })
    }

    func pass(_ milliseconds: UInt64) { time.update { $0 += milliseconds } }

    /// The rounds of a day without news.
    func rounds() throws -> Int {
        let start = time.update { $0 }
        var (schedule, rounds) = (CarrierSchedule(now: start), 0)
        for now in stride(from: start, to: start + 86_400_000, by: 10_000) {
            time.update { $0 = now }
            if try machine.wait(until: .now) { schedule.noteArrival() }
            guard schedule.next <= now else { continue }
            schedule.begin()
            _ = try machine.changes(after: [:], atMost: 1)
            schedule.end(at: now, .success, chance: 112_500)
            rounds += 1
        }
        return rounds
    }
}

@Suite(
    "A day of a carrier at a PostgreSQL server", .enabled(if: PostgresServer.isHere), .serialized)
struct PostgresDayTests {
    private let hosted: HostedCircle
    private let one: PostgresTransport
    private let day: CarrierDay

    init() throws {
        let hosted = try HostedCircle()
        self.hosted = hosted
        one = try hosted.machine(hosted.first)
        day = try CarrierDay { try hosted.machine(hosted.second, looks: $0) }
        #expect(try day.machine.wait(until: soon))
        // A notification of one's own has come before that of another machine.
        _ = try one.commit([1], in: hosted.slot(hosted.first, 1))
        #expect(try day.machine.wait(until: soon))
        _ = try day.machine.changes(after: [:], atMost: 1)
    }

    private func sessions() throws -> [Substring] {
        let rows = "SELECT pid FROM pg_stat_activity WHERE usename = 'alice' ORDER BY pid"
        return try hosted.server.psql(rows).split(separator: "\n")
    }

    private var listener: String {
        get throws { try hosted.server.psql("SELECT pid FROM pg_stat_activity WHERE query LIKE 'LISTEN%'") }
    }

    @Test("A day without news has four rounds an hour, over two connections that last")
    func quiet() throws {
        // Those of machines that have ended before stay for a moment.
        #expect(eventually { (try? sessions().count) == 3 })
        let before = try sessions()
        let rounds = try day.rounds()
        #expect((90...97).contains(rounds), "\(rounds) rounds")
        #expect(try sessions() == before)
    }

    @Test("A commit is told at any time of the day, and a connection that has ended is opened again")
    func told() throws {
        let process = try listener
        for seq in UInt64(2)...4 {
            day.pass(3_600_000)
            #expect(try !day.machine.wait(until: .now))
            _ = try one.commit([1], in: hosted.slot(hosted.first, seq))
            #expect(try day.machine.wait(until: soon))
        }
        #expect(try !process.isEmpty && listener == process)
        try hosted.server.psql("SELECT pg_terminate_backend(\(process))")
        _ = try? day.machine.wait(until: soon)
        #expect(try day.machine.wait(until: soon))
        #expect(try !listener.isEmpty && listener != process)
    }

    @Test("A connection that is silent is asked each quarter of an hour, and no other is opened for that")
    func asks() throws {
        let process = try listener
        let since = "SELECT query_start FROM pg_stat_activity WHERE query LIKE 'LISTEN%'"
        let first = try hosted.server.psql(since)
        day.pass(899_000)
        #expect(try !day.machine.wait(until: .now))
        #expect(try hosted.server.psql(since) == first)
        day.pass(1_000)
        #expect(try !day.machine.wait(until: .now))
        #expect(try hosted.server.psql(since) != first)
        #expect(try listener == process)
    }
}
