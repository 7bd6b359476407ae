import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import PostgresTransport

@Suite("The requests to a PostgreSQL server", .enabled(if: PostgresServer.isHere), .serialized)
struct PostgresRequestTests {
    private let hosted: HostedCircle

    init() throws {
        hosted = try HostedCircle()
        try hosted.server.psql("ALTER ROLE alice SET track_functions = 'all'")
    }

    /// The calls of functions by these machines, which end with that: sessions count when they end.
    private func calls(_ work: (_ one: PostgresTransport, _ other: PostgresTransport) throws -> Void) throws -> String {
        let (one, other) = (try hosted.machine(hosted.first), try hosted.machine(hosted.second))
        try end()
        try hosted.server.psql("SELECT pg_stat_reset()")
        try work(one, other)
        try end()
        return try hosted.server.psql(
            "SELECT string_agg(funcname || ' ' || calls, ', ' ORDER BY funcname) FROM pg_stat_user_functions "
                + "WHERE calls > 0 AND funcname NOT LIKE 'allow%'")
    }

    /// Ends the sessions of machines.
    private func end() throws {
        let sessions = "FROM pg_stat_activity WHERE usename = 'alice'"
        try hosted.server.psql("SELECT pg_terminate_backend(pid) \(sessions)")
        #expect(eventually { (try? hosted.server.psql("SELECT count(*) \(sessions)")) == "0\n" })
    }

    @Test("A change takes two to look and one to commit of its author, and two to look of another machine")
    func change() throws {
        let author = try calls { one, _ in
            _ = try one.changes(after: [:], atMost: 1 << 20)
            _ = try one.commit([1], in: hosted.slot(hosted.first, 1))
        }
        #expect(author == "changes 1, commit 1, ends 1\n")
        let reader = try calls { _, other in
            let found = try other.changes(after: [:], atMost: 1 << 20)
            #expect(found.batches.count == 1)
        }
        #expect(reader == "changes 1, ends 1\n")
    }

    @Test("A first look takes two for all batches that have room in one answer")
    func first() throws {
        let one = try hosted.machine(hosted.first)
        for seq in UInt64(1)...100 { _ = try one.commit([1], in: hosted.slot(hosted.first, seq)) }
        let reader = try calls { _, other in
            let found = try other.changes(after: [:], atMost: 1 << 20)
            #expect(found.batches.count == 100)
        }
        #expect(reader == "changes 1, ends 1\n")
    }
}
