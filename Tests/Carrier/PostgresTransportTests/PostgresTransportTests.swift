import Glibc
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import PostgresTransport

/// A server with two tenants, and a circle of two machines of the first one's.
final class HostedCircle {
    let server: PostgresServer
    let circle = CircleID(number: 7)
    let first = MemberID(number: 1)
    let second = MemberID(number: 2)

    init() throws {
        server = try PostgresServer()
        try ServerInstallation(try server.address("owner")).install()
        for role in ["alice", "bob"] {
            try server.psql("CREATE ROLE \(role) LOGIN")
            try ServerInstallation(try server.address("owner")).admit(role)
        }
        let invitation = try invite("alice")
        try machine(first, invitation: invitation).found()
        try admit(second, by: first)
    }

    /// A machine has another one let in.
    func admit(_ newcomer: MemberID, by sponsor: MemberID) throws {
        let hash = try server.psql("SELECT encode(sha256('\(Self.token(of: newcomer))'), 'hex')")
        try machine(sponsor).admit(newcomer, tokenHash: Self.bytes(hash))
    }

    /// A machine's token, as statements have it.
    static func token(of device: MemberID) -> String {
        let byte = String(UInt8(device.number), radix: 16)
        return "\\x" + String(repeating: byte.count < 2 ? "0" + byte : byte, count: 32)
    }

    func invite(_ role: String, room: Int = 1 << 20, days: Int = 7) throws -> [UInt8] {
        try ServerInstallation(try server.address("owner")).invite(role, room: room, days: days)
    }

    /// An invitation into the circle.
    func inviteBack(_ role: String = "alice", days: Int = 7) throws -> [UInt8] {
        try ServerInstallation(try server.address("owner")).invite(role, into: circle, days: days)
    }

    /// A machine that reads by an invitation alone.
    func visitor(_ invitation: [UInt8], role: String = "alice", circle: CircleID? = nil) throws -> PostgresTransport {
        .visitor(try server.address(role), circle: circle ?? self.circle, invitation: invitation)
    }

    /// A machine; its token is made of its number.
    func machine(
        _ device: MemberID, role: String = "alice", token: UInt8? = nil, invitation: [UInt8] = [],
        looks: Looks = Looks()
    ) throws -> PostgresTransport {
        let token = [UInt8](repeating: token ?? UInt8(device.number), count: 32)
        return PostgresTransport(
            try server.address(role), circle: circle, device: device, token: token, invitation: invitation, looks: looks
        )
    }

    func slot(_ device: MemberID, _ seq: UInt64, part: UInt32? = nil) -> SyncSlot {
        SyncSlot(circle: circle, device: device, seq: seq, part: part)
    }

    private static func bytes(_ text: String) -> [UInt8] {
        let digits = Array(text.utf8).compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        return stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }
}

@Suite("A PostgreSQL server carries a circle", .enabled(if: PostgresServer.isHere), .serialized)
struct PostgresTransportTests {
    let hosted: HostedCircle
    init() throws { hosted = try HostedCircle() }

    @Test("Machines find what others commit, page by page, and discard what is theirs")
    func carries() throws {
        let (one, other) = (try hosted.machine(hosted.first), try hosted.machine(hosted.second))
        for seq in 1...5 {
            #expect(try one.commit([UInt8(seq), 0, 1], in: hosted.slot(hosted.first, UInt64(seq))) == .done)
        }
        #expect(try other.commit([9], in: hosted.slot(hosted.second, 1)) == .done)

        let page = try other.changes(after: [hosted.first: 2], atMost: 4)
        #expect(page.batches.map(\.slot.seq) == [3, 4] && !page.isComplete)
        let rest = try other.changes(after: [hosted.first: 4], atMost: 1000)
        #expect(rest.batches.map(\.bytes) == [[5, 0, 1], [9]] && rest.isComplete)
        #expect(rest.ends == [hosted.first: 5, hosted.second: 1])

        try one.discard([1, 2].map { hosted.slot(hosted.first, $0) })
        #expect(try other.changes(after: [:], atMost: 1000).batches.map(\.slot.seq) == [3, 4, 5, 1])
        #expect(try hosted.server.psql("SELECT bytes FROM keychain_sync.circles") == "10\n")
    }

    @Test("A slot keeps its first bytes; a part is read alone")
    func slots() throws {
        let machine = try hosted.machine(hosted.first)
        #expect(try machine.commit([1, 0], in: hosted.slot(hosted.first, 1)) == .done)
        #expect(try machine.commit([1, 0], in: hosted.slot(hosted.first, 1)) == .done)
        #expect(try machine.commit([2], in: hosted.slot(hosted.first, 1)) == .occupied([1, 0]))
        #expect(try machine.commit([7], in: hosted.slot(hosted.first, 1, part: 3)) == .done)
        #expect(try machine.read(hosted.slot(hosted.first, 1, part: 3)) == [7])
        #expect(try machine.read(hosted.slot(hosted.first, 1, part: 4)) == nil)
        #expect(try machine.changes(after: [:], atMost: 1000).batches.map(\.bytes) == [[1, 0]])
    }

    @Test("A commit wakes another machine, and a deadline does too")
    func waits() throws {
        let (one, other) = (try hosted.machine(hosted.first), try hosted.machine(hosted.second))
        #expect(try other.wait(until: soon), "what came before is looked at once")
        #expect(try !other.wait(until: .now))
        _ = try one.commit([1], in: hosted.slot(hosted.first, 1))
        #expect(try other.wait(until: soon))
    }

    @Test("A server that was started again meanwhile is reached by the next call")
    func startedAgain() throws {
        let machine = try hosted.machine(hosted.first)
        for seq in 1...2 {
            #expect(try machine.commit([UInt8(seq)], in: hosted.slot(hosted.first, UInt64(seq))) == .done)
            hosted.server.end(SIGQUIT)
            try hosted.server.start()
        }
        #expect(try machine.changes(after: [:], atMost: 1000).batches.map(\.bytes) == [[1], [2]])
    }

    @Test("What was acknowledged is there after the server was killed, and machines go on by themselves")
    func killed() throws {
        let machine = try hosted.machine(hosted.first)
        for seq in 1...3 { _ = try machine.commit([UInt8(seq)], in: hosted.slot(hosted.first, UInt64(seq))) }
        _ = try machine.wait(until: .now)
        hosted.server.end(SIGKILL)
        #expect(throws: TransportProblem.self) { try machine.commit([4], in: hosted.slot(hosted.first, 4)) }
        #expect(throws: TransportProblem.self) { try machine.wait(until: soon) }
        try hosted.server.start()
        #expect(try machine.commit([4], in: hosted.slot(hosted.first, 4)) == .done)
        #expect(try machine.changes(after: [:], atMost: 1000).batches.map(\.bytes) == [[1], [2], [3], [4]])
        #expect(try machine.wait(until: soon))
    }
}

@Suite("A PostgreSQL server lets nobody into the circle of others", .enabled(if: PostgresServer.isHere), .serialized)
struct ServerRightsTests {
    let hosted: HostedCircle
    init() throws { hosted = try HostedCircle() }

    private func expectRefusal(_ body: () throws -> Void) {
        let problem = #expect(throws: TransportProblem.self) { try body() }
        switch problem {
        case .refused, .noEntrance: break
        default: Issue.record("\(String(describing: problem))")
        }
    }

    @Test("A wrong token, another machine's log and another tenant are errors")
    func strangers() throws {
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
        let impostors = [
            try hosted.machine(hosted.first, token: 3), try hosted.machine(MemberID(number: 3)),
            try hosted.machine(hosted.first, role: "bob"),
        ]
        for impostor in impostors {
            expectRefusal { _ = try impostor.changes(after: [:], atMost: 1) }
            expectRefusal { _ = try impostor.commit([1], in: hosted.slot(MemberID(number: 3), 1)) }
            expectRefusal { _ = try impostor.read(hosted.slot(hosted.first, 1)) }
            expectRefusal { try impostor.discard([hosted.slot(hosted.first, 1)]) }
            expectRefusal { try impostor.admit(MemberID(number: 4), tokenHash: Array(repeating: 0, count: 32)) }
        }
        expectRefusal { _ = try hosted.machine(hosted.second).commit([1], in: hosted.slot(hosted.first, 2)) }
        expectRefusal { try hosted.machine(hosted.second).discard([hosted.slot(hosted.first, 1)]) }
        #expect(try hosted.machine(hosted.second).read(hosted.slot(hosted.first, 1)) == [1])
    }

    @Test("A removed machine has no token any more, and what it wrote can be discarded")
    func removed() throws {
        _ = try hosted.machine(hosted.second).commit([1], in: hosted.slot(hosted.second, 1))
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: [], keeping: [hosted.first])
        expectRefusal { _ = try hosted.machine(hosted.second).changes(after: [:], atMost: 1) }
        expectRefusal { try hosted.machine(hosted.first).discard([hosted.slot(hosted.second, 1)]) }
        expectRefusal {
            try hosted.machine(hosted.first).admit(hosted.second, tokenHash: Array(repeating: 0, count: 32))
        }
        try hosted.server.psql(
            "UPDATE keychain_sync.devices SET removed = removed - interval '31 days' WHERE removed IS NOT NULL")
        try hosted.machine(hosted.first).discard([hosted.slot(hosted.second, 1)])
        #expect(try hosted.machine(hosted.first).changes(after: [:], atMost: 1).batches.isEmpty)
    }

    @Test("A machine that was removed lets nobody in by a transaction that began before")
    func olderView() throws {
        let session = try hosted.server.session(as: "alice")
        try session.input.writeText("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT keychain_sync.version();\n")
        #expect(try session.output.readText(2) == "5\n")
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: [], keeping: [hosted.first])
        let (circle, second) = ("\\x\(hosted.circle.text)", "\\x\(hosted.second.text)")
        let token = "\\x" + String(repeating: "02", count: 32)
        let words = "'\(circle)', '\(second)', '\(token)', '\\x\(MemberID(number: 9).text)', '\(token)'"
        try session.input.writeText("SELECT keychain_sync.register(\(words)); COMMIT;\n\\echo ended\n")
        #expect(try session.output.readText(6) == "ended\n")
        #expect(try hosted.server.psql("SELECT count(*) FROM keychain_sync.devices WHERE removed IS NULL") == "1\n")
    }

    @Test("A commit is on disk when it is acknowledged, whatever a role has set")
    func synchronous() throws {
        try hosted.server.psql("ALTER ROLE alice SET synchronous_commit = off", as: "alice")
        try hosted.server.psql("ALTER SYSTEM SET wal_writer_delay = '10s'")
        try hosted.server.psql("SELECT pg_reload_conf()")
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
        hosted.server.end(SIGKILL)
        try hosted.server.start()
        #expect(try hosted.machine(hosted.first).read(hosted.slot(hosted.first, 1)) == [1])
    }

    @Test("An invitation makes one circle, of its tenant, in its time; its room is the circle's")
    func invitations() throws {
        let invitation = try hosted.invite("bob", room: 10)
        let used = try hosted.invite("alice")
        let late = try hosted.invite("bob", days: -1)
        func founder(_ number: UInt128, _ invitation: [UInt8]) throws -> PostgresTransport {
            PostgresTransport(
                try hosted.server.address("bob"), circle: CircleID(number: number), device: hosted.first,
                token: [UInt8](repeating: 1, count: 32), invitation: invitation)
        }
        for (number, wrong) in [(UInt128(8), used), (9, late), (10, []), (11, Array(repeating: 1, count: 32))] {
            expectRefusal { try founder(number, wrong).found() }
        }
        for _ in 1...2 { try founder(12, invitation).found() }
        expectRefusal { try founder(13, invitation).found() }

        let slot = SyncSlot(circle: CircleID(number: 12), device: hosted.first, seq: 1)
        expectRefusal { _ = try founder(12, []).commit(Array(repeating: 1, count: 11), in: slot) }
        #expect(try founder(12, []).commit(Array(repeating: 1, count: 10), in: slot) == .done)
    }

    @Test("An invitation into a circle lets one machine read the circle, and enter it once")
    func invitedBack() throws {
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
        _ = try hosted.machine(hosted.first).commit([2], in: hosted.slot(hosted.first, 1, part: 0))
        let (invitation, third) = (try hosted.inviteBack(), MemberID(number: 3))
        let visitor = try hosted.visitor(invitation)
        let newcomer = try hosted.machine(third, invitation: invitation)
        #expect(try newcomer.circleOfInvitation() == hosted.circle)
        #expect(try visitor.changes(after: [:], atMost: 1000).batches.map(\.bytes) == [[1]])
        #expect(try visitor.read(hosted.slot(hosted.first, 1, part: 0)) == [2])
        expectRefusal { _ = try newcomer.changes(after: [:], atMost: 1) }

        for _ in 1...2 { try newcomer.found() }
        #expect(try newcomer.commit([3], in: hosted.slot(third, 1)) == .done)
        expectRefusal { _ = try visitor.changes(after: [:], atMost: 1) }
        expectRefusal { try hosted.machine(MemberID(number: 4), invitation: invitation).found() }
        expectRefusal { _ = try newcomer.circleOfInvitation() }
    }

    @Test("A machine that reads by an invitation changes nothing")
    func visitors() throws {
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
        let visitor = try hosted.visitor(try hosted.inviteBack())
        expectRefusal { _ = try visitor.commit([1], in: hosted.slot(.none, 1)) }
        expectRefusal { try visitor.discard([hosted.slot(hosted.first, 1)]) }
        expectRefusal { try visitor.discard([hosted.slot(.none, 1)]) }
        expectRefusal { try visitor.admit(MemberID(number: 4), tokenHash: Array(repeating: 0, count: 32)) }
        expectRefusal { try visitor.dismiss([hosted.first], cut: [], keeping: []) }
        #expect(try hosted.machine(hosted.first).read(hosted.slot(hosted.first, 1)) == [1])
    }

    @Test("An invitation into a circle serves no other circle, no other tenant, and nobody after its time")
    func invitedElsewhere() throws {
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
        let (invitation, late) = (try hosted.inviteBack(), try hosted.inviteBack(days: -1))
        let (begins, third) = (try hosted.invite("alice"), MemberID(number: 3))
        for visitor in [
            try hosted.visitor(invitation, role: "bob"), try hosted.visitor(late), try hosted.visitor(begins),
            try hosted.visitor([]),
        ] {
            expectRefusal { _ = try visitor.changes(after: [:], atMost: 1) }
            expectRefusal { _ = try visitor.read(hosted.slot(hosted.first, 1)) }
        }
        let elsewhere = try hosted.visitor(invitation, circle: CircleID(number: 8))
        expectRefusal { _ = try elsewhere.changes(after: [:], atMost: 1) }
        expectRefusal { try hosted.machine(third, role: "bob", invitation: invitation).found() }
        for wrong in [late, begins] { expectRefusal { try hosted.machine(third, invitation: wrong).found() } }
        let other = PostgresTransport(
            try hosted.server.address("alice"), circle: CircleID(number: 8), device: third, token: [1],
            invitation: invitation)
        expectRefusal { try other.found() }
        expectRefusal { try other.check() }
        expectRefusal { _ = try hosted.inviteBack("bob") }
        #expect(try hosted.server.psql("SELECT count(*) FROM keychain_sync.devices") == "2\n")
    }

    @Test("A visitor learns that it is not let in, and of no other refusal that")
    func visitsRefused() throws {
        let taken = try hosted.inviteBack()
        try hosted.machine(MemberID(number: 3), invitation: taken).found()
        let begins = try hosted.invite("alice")
        for invitation in [taken, begins, []] {
            let problem = #expect(throws: TransportProblem.self) {
                try hosted.visitor(invitation).changes(after: [:], atMost: 1)
            }
            if case .noEntrance = problem {} else { Issue.record("\(String(describing: problem))") }
        }
        let visitor = try hosted.visitor(try hosted.inviteBack())
        try hosted.server.psql("REVOKE EXECUTE ON FUNCTION keychain_sync.ends FROM keychain_sync_tenant")
        let problem = #expect(throws: TransportProblem.self) { try visitor.changes(after: [:], atMost: 1) }
        if case .refused = problem {} else { Issue.record("\(String(describing: problem))") }
    }

    @Test("A machine that was removed comes back by no invitation")
    func removedAndInvited() throws {
        try hosted.machine(hosted.first).dismiss([hosted.second], cut: [], keeping: [hosted.first])
        let again = try hosted.machine(hosted.second, token: 9, invitation: try hosted.inviteBack())
        expectRefusal { try again.found() }
        expectRefusal { _ = try again.changes(after: [:], atMost: 1) }
    }

    @Test("A tenant reads no table and no other session, ends none, and leaves nothing behind")
    func catalogs() throws {
        for statement in Self.forbidden {
            #expect(throws: SystemError.self, "\(statement)") { try hosted.server.psql(statement, as: "alice") }
        }
        #expect(try hosted.server.psql("SELECT keychain_sync.version()", as: "alice") == "5\n")
    }

    private static let forbidden = [
        "TABLE keychain_sync.slots", "TABLE keychain_sync.devices", "TABLE keychain_sync.invitations",
        "SELECT keychain_sync.invite('alice', 1, 1)", "SELECT keychain_sync.allow('', '', '')",
        "SELECT keychain_sync.invite_into('', 'alice', 1)", "SELECT keychain_sync.allow_reading('', '', '')",
        "SELECT keychain_sync.allow_change('', '', '')", "SELECT keychain_sync.let_in('', '', '')",
        "TABLE pg_stat_activity", "SELECT pg_stat_get_activity(NULL)", "SELECT pg_terminate_backend(1)",
        "SELECT pg_cancel_backend(1)", "SELECT lo_create(0)", "SELECT lo_from_bytea(0, 'x')",
        "CREATE TEMPORARY TABLE t (a int)", "CREATE TABLE t (a int)", "CREATE SCHEMA s",
        "CREATE TABLE keychain_sync.t (a int)", "SELECT pg_sleep(100)", "SELECT pg_advisory_lock(1)", "SET ROLE owner",
        "SET SESSION AUTHORIZATION owner", "CREATE ROLE eve",
    ]
}

@Suite("Installing a server", .enabled(if: PostgresServer.isHere), .serialized)
struct ServerInstallationTests {
    @Test("It is made once, by several at once too, keeps what is there, and refuses a newer one")
    func repeats() throws {
        let hosted = try HostedCircle()
        let address = try hosted.server.address("owner")
        _ = try hosted.machine(hosted.first).commit([1], in: hosted.slot(hosted.first, 1))
        let threads = try (1...3).map { _ in
            try Thread(named: "installation") {
                do { try ServerInstallation(address).install() } catch { Issue.record(error) }
            }
        }
        for thread in threads { thread.join() }
        #expect(try hosted.machine(hosted.second).read(hosted.slot(hosted.first, 1)) == [1])
        try hosted.server.psql("UPDATE keychain_sync.version SET number = number + 1")
        #expect(throws: TransportProblem.refused("this server is newer: update the program")) {
            try ServerInstallation(address).install()
        }
        #expect(try hosted.server.psql("SELECT count(*) FROM keychain_sync.version") == "1\n")
    }

    @Test("A tenant cannot install, and a role of an odd name is admitted as it is")
    func roles() throws {
        let hosted = try HostedCircle()
        #expect(throws: TransportProblem.self) { try ServerInstallation(try hosted.server.address("alice")).install() }
        try hosted.server.psql(#"CREATE ROLE "o""dd; x" LOGIN"#)
        try ServerInstallation(try hosted.server.address("owner")).admit("o\"dd; x")
        #expect(throws: TransportProblem.self) {
            try ServerInstallation(try hosted.server.address("owner")).admit("none")
        }
    }
}

@Suite("The URL of a server")
struct PostgresAddressTests {
    @Test("A server on the network is verified; one with a password in its URL is refused")
    func rules() throws {
        #expect(throws: Never.self) { try PostgresAddress("postgresql://user@example.org/sync") }
        #expect(throws: Never.self) { try PostgresAddress("postgresql://user@example.org/sync?sslmode=verify-full") }
        for url in [
            "postgresql://user:pw@example.org/sync", "postgresql://user@example.org/sync?password=pw",
            "postgresql://user@example.org/sync?sslmode=require", "postgresql://user@127.0.0.1/sync?sslmode=disable",
            "postgresql://user@%2Ftmp,example.org/sync?sslmode=disable", "http://example.org", "postgresql://[", "",
            "postgresql://user@%2Ftmp/sync?sslmode=disable", "postgresql://user@example.org/sync?service=x",
            "postgresql://user@example.org/sync?sslpassword=pw",
        ] {
            #expect(throws: TransportProblem.self, "\(url)") { try PostgresAddress(url) }
        }
    }
}

@Suite("The URL of a server, from somebody else")
struct ForeignAddressTests {
    @Test(
        "A URL that has libpq do more than connect is refused, and the keyword is named",
        arguments: [
            "gssencmode=require", "gsslib=gssapi", "krbsrvname=other", "replication=database", "service=other",
            "client_encoding=SQL_ASCII", "sslcompression=1",
        ])
    func keywords(word: String) {
        let problem = #expect(throws: TransportProblem.self) {
            try PostgresAddress("postgresql://user@example.org/sync?\(word)")
        }
        #expect(problem?.description.contains(word.split(separator: "=")[0]) == true)
    }

    @Test("A key that a module would be loaded for is refused, and one in a file is not")
    func keys() throws {
        let url = "postgresql://user@example.org/sync?sslkey="
        #expect(throws: TransportProblem.self) { try PostgresAddress(url + "pkcs11:key") }
        #expect(throws: Never.self) { try PostgresAddress(url + "/home/user/key.pem") }
    }

    @Test("No ticket of Kerberos takes the place of a certificate")
    func tickets() throws {
        for url in ["postgresql://user@example.org/sync", "postgresql://user@one,two/sync"] {
            let hosts = try PostgresAddress(url).hosts
            #expect(!hosts.isEmpty && hosts.allSatisfy { $0["gssencmode"] == "disable" })
        }
    }
}

@Suite("A server with a synchronous standby", .enabled(if: PostgresServer.isHere), .serialized)
struct StandbyTests {
    @Test("When the first server is killed under load and the second takes over, nothing acknowledged is lost")
    func promoted() throws {
        let hosted = try HostedCircle()
        let standby = try PostgresServer(standbyOf: hosted.server)
        try hosted.server.psql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try hosted.server.psql("SELECT pg_reload_conf()")
        #expect(eventually { (try? hosted.server.psql("SELECT sync_state FROM pg_stat_replication")) == "sync\n" })

        let address = try PostgresAddress(hosted.server.url("alice", or: standby))
        let machine = PostgresTransport(
            address, circle: hosted.circle, device: hosted.first, token: [UInt8](repeating: 1, count: 32))
        let acknowledged = Lock<UInt64>(0)
        let writer = try Thread(named: "writer") {
            for seq in UInt64(1)... {
                let slot = SyncSlot(circle: CircleID(number: 7), device: MemberID(number: 1), seq: seq)
                guard (try? machine.commit([UInt8(truncatingIfNeeded: seq)], in: slot)) == .done else { return }
                acknowledged.withLock { $0 = seq }
            }
        }
        #expect(eventually { acknowledged.withLock { $0 } >= 20 })
        hosted.server.end(SIGKILL)
        writer.join()
        try standby.promote()

        let last = acknowledged.withLock { $0 }
        let found = try machine.changes(after: [:], atMost: 1 << 20)
        // The one that was on its way may have come.
        #expect([last, last + 1].contains(found.ends[hosted.first] ?? 0))
        #expect(found.batches.map(\.slot.seq) == Array(1...UInt64(found.batches.count)))
        #expect(try machine.commit([0], in: hosted.slot(hosted.first, last + 2)) == .done)
    }
}
