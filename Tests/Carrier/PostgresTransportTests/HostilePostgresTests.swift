import Glibc
import LinuxSystem
import SyncFormat
import SyncTransports
import TestSupport
import Testing

@testable import PostgresTransport

@Suite("A server in wrong hands")
struct HostilePostgresTests {
    @Test(
        "An answer that no server gives, that does not end, or that is wider than any, ends with an error",
        arguments: ["copy", "rows", "notices", "columns"])
    func answers(kind: String) throws {
        let folder = try TemporaryDirectory()
        let server = try Self.server(folder, kind)
        let machine = try Self.machine(folder, patience: kind == "notices" ? 1_000 : 30_000)
        let slot = SyncSlot(circle: CircleID(number: 1), device: MemberID(number: 1), seq: 1)
        #expect(throws: TransportProblem.self) { try machine.read(slot) }
        #expect(server.process > 0)
    }

    @Test("A socket where any user may make one is believed by the name of the server's user alone")
    func sockets() throws {
        let folder = try TemporaryDirectory()
        let server = try Self.server(folder, "copy")
        #expect(unsafe chmod(folder.path, 0o1777) == 0)
        let slot = SyncSlot(circle: CircleID(number: 1), device: MemberID(number: 1), seq: 1)
        for (place, more, words) in [
            (folder.path, "", "requirepeer"), ("%40somewhere", "", "requirepeer"),
            (folder.path, "&requirepeer=nobody", "nobody"),
        ] {
            let machine = PostgresTransport(
                try PostgresAddress("postgresql://user@/sync?host=\(place)\(more)"), circle: CircleID(number: 1),
                device: MemberID(number: 1), token: [1])
            let problem = #expect(throws: TransportProblem.self) { try machine.read(slot) }
            #expect(problem?.description.contains(words) == true, "\(String(describing: problem))")
        }
        #expect(server.process > 0)
    }

    @Test("A server that says nothing keeps no wait beyond its deadline")
    func silence() throws {
        let folder = try TemporaryDirectory()
        let server = try Self.server(folder, "silence")
        #expect(try !Self.machine(folder).wait(until: .after(milliseconds: 50)))
        #expect(server.process > 0)
    }

    @Test("A server that wants a password proved by more rounds than anybody has time for keeps no call waiting")
    func rounds() throws {
        let folder = try TemporaryDirectory()
        let server = try Self.server(folder, "rounds")
        let passwords = folder.file("passwords")
        try AtomicFile.replace(passwords, with: Array("*:*:*:*:secret\n".utf8).span)
        let machine = try Self.machine(folder, patience: 200, "&passfile=\(passwords)")
        let slot = SyncSlot(circle: CircleID(number: 1), device: MemberID(number: 1), seq: 1)
        func problem() -> String {
            let found = #expect(throws: TransportProblem.self) { try machine.read(slot) }
            return found?.description ?? ""
        }
        func proofs() throws -> Int { try FolderEntries.names(in: folder.path).count { $0.hasPrefix("proved") } }
        #expect(problem().contains("in time"))
        #expect(try proofs() == 0)
        // Those that are left behind are few.
        var begun = 1
        #expect(
            eventually {
                let isRefused = problem().contains("compute still")
                begun += isRefused ? 0 : 1
                return isRefused
            })
        // No library is to end while they compute.
        #expect(eventually { (try? proofs()) == begun })
        #expect(server.process > 0)
    }

    private static func server(_ folder: TemporaryDirectory, _ kind: String) throws -> RunningProgram {
        let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
        let server = try RunningProgram(
            "/usr/bin/python3", ["-B", "/\(root)/Tests/Scripts/postgres_server.py", folder.path, kind])
        #expect(try server.output.readText(10) == "listening\n")
        return server
    }

    private static func machine(
        _ folder: TemporaryDirectory, patience: Int = 30_000, _ options: String = ""
    ) throws -> PostgresTransport {
        PostgresTransport(
            try PostgresAddress("postgresql://user@/sync?host=\(folder.path)\(options)"), circle: CircleID(number: 1),
            device: MemberID(number: 1), token: [1], patience: patience)
    }
}
