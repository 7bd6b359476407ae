import CommandOptions
import Glibc
import PostgresTransport
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@Suite("An administrator makes a server ready, and looks after it", .enabled(if: PostgresServer.isHere), .serialized)
struct ServerCommandTests {
    let server: PostgresServer
    let circle = CircleID(number: 5)
    let device = MemberID(number: 1)

    init() throws {
        server = try PostgresServer()
        try server.psql("CREATE ROLE alice LOGIN")
    }

    private func run(_ words: String...) throws -> [String] {
        let given = try ProgramArguments(["--server", server.url("owner")] + words, ServerCommand.table)
        return try ServerCommand(given).run()
    }

    private func machine(_ invitation: String) throws -> PostgresTransport {
        let digits = Array(invitation.utf8).compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        return PostgresTransport(
            try server.address("alice"), circle: circle, device: device, token: [UInt8](repeating: 1, count: 32),
            invitation: bytes)
    }

    @Test("One command line installs, admits a tenant and invites it; the invitation makes one circle")
    func fromNothingToACircle() throws {
        let lines = try run("--install", "--admit", "alice", "--invite", "alice", "--room", "2", "--days", "1")
        let invitation = try #require(lines.first)
        #expect(lines.count == 1 && invitation.utf8.count == 64)
        try machine(invitation).found()
        _ = try machine("").commit([7, 7, 7], in: SyncSlot(circle: circle, device: device, seq: 1))
        let today = try server.psql("SELECT current_date").split(separator: "\n").joined()
        #expect(try run("--circles") == ["\(circle.text) alice 1 1 2 \(today)"])
        #expect(
            try run("--circles", "--json") == [
                "{\"circle\":\"\(circle.text)\",\"tenant\":\"alice\",\"machines\":1,\"bytes\":3,\"quota\":2097152,"
                    + "\"used\":\"\(today)\"}"
            ])
    }

    @Test("The administrator invites a machine into a circle of the role's, and into no other")
    func back() throws {
        _ = try run("--install", "--admit", "alice")
        try server.psql("CREATE ROLE bob LOGIN")
        try machine(try #require(try run("--invite", "alice").first)).found()
        let invitation = try #require(try run("--invite", "alice", "--circle", circle.text).first)
        #expect(try machine(invitation).circleOfInvitation() == circle)
        for (role, number) in [("bob", circle.text), ("alice", CircleID(number: 6).text)] {
            #expect(throws: TransportProblem.refused("the role has no such circle")) {
                try run("--invite", role, "--circle", number)
            }
        }
    }

    @Test("A server of the first version has its circles and their day of use after the installation")
    func migrates() throws {
        _ = try run("--install")
        let made = "INSERT INTO keychain_sync.circles VALUES (decode('\(circle.text)', 'hex'), 'alice', 0, 9)"
        try server.psql("ALTER TABLE keychain_sync.circles DROP COLUMN used")
        try server.psql("ALTER TABLE keychain_sync.invitations DROP COLUMN circle")
        try server.psql("ALTER TABLE keychain_sync.devices DROP COLUMN registrars")
        try server.psql("UPDATE keychain_sync.version SET number = 1; \(made)")
        _ = try run("--install")
        _ = try run("--install")
        #expect(try server.psql("SELECT number FROM keychain_sync.version") == "5\n")
        #expect(try run("--circles").first?.hasPrefix("\(circle.text) alice 0 0 1 20") == true)
    }

    /// A role that is no superuser cannot install: tenants would keep rights over each other's sessions.
    @Test("What the server refuses is said in its words, and nothing is half done")
    func refusals() throws {
        #expect(throws: TransportProblem.self) { try run("--circles") }
        try server.psql("CREATE ROLE keeper LOGIN CREATEROLE; ALTER DATABASE sync OWNER TO keeper")
        let keeper = try server.address("keeper")
        #expect(throws: TransportProblem.self) { try ServerInstallation(keeper).install() }
        #expect(try server.psql("SELECT count(*) FROM pg_namespace WHERE nspname = 'keychain_sync'") == "0\n")
        _ = try run("--install")
        #expect(throws: TransportProblem.refused("role \"nobody\" does not exist")) {
            try run("--admit", "nobody", "--invite", "nobody")
        }
        #expect(try server.psql("SELECT count(*) FROM keychain_sync.invitations") == "0\n")
    }
}

private let zeros = String(repeating: "0", count: 32)

@Suite("The command line for the administrator of a server")
struct ServerCommandLineTests {
    @Test(
        "A command line with half of what it takes is refused before the server is asked",
        arguments: [
            ["--install"], ["--server", "postgresql://owner@nowhere.invalid/sync"],
            ["--server", "postgresql://owner@nowhere.invalid/sync", "--circles", "--room", "1"],
            ["--server", "postgresql://owner@nowhere.invalid/sync", "--invite", "a", "--room", "0"],
            ["--server", "postgresql://owner@nowhere.invalid/sync", "--circles", "--circle", zeros],
            ["--server", "postgresql://owner@nowhere.invalid/sync", "--invite", "a", "--circle", "7"],
            ["--server", "postgresql://owner@nowhere.invalid/sync", "--invite", "a", "--circle", zeros, "--room", "1"],
        ])
    func refuses(_ words: [String]) {
        #expect(throws: WrongCommandLine.self) {
            try ServerCommand(try ProgramArguments(words, ServerCommand.table))
        }
    }
}
