import Glibc
import LinuxSystem
import TestSupport

@testable import PostgresTransport

/// A pooler in front of a server, which only its user reaches: pgbouncer, with a socket in a folder.
final class Pooler {
    /// For which time a client has a connection to the server.
    enum Mode: String {
        case session, transaction
    }

    private let folder: TemporaryDirectory
    private var program: RunningProgram?

    init(_ server: PostgresServer, _ mode: Mode) throws {
        folder = try TemporaryDirectory(inMemory: true)
        let users = folder.file("users")
        try AtomicFile.replace(users, with: Array("\"alice\" \"\"\n".utf8).span)
        let settings = """
            [databases]
            sync = host=\(server.place) dbname=sync
            [pgbouncer]
            unix_socket_dir = \(folder.path)
            listen_port = \(Self.port)
            auth_type = trust
            auth_file = \(users)
            pool_mode = \(mode.rawValue)
            default_pool_size = 8

            """
        try AtomicFile.replace(self.settings, with: Array(settings.utf8).span)
        try start()
    }

    deinit { kill() }

    private static let port = 6432

    private var settings: String { folder.file("settings") }

    /// Where the program is: the system's own, or the one that `scripts/deps` has unpacked.
    private static let unpacked = TestFiles.root + "/.build/pgbouncer"
    private static let path =
        ["", unpacked].map { $0 + "/usr/sbin/pgbouncer" }.first { (try? FileStatus(at: $0)) ?? nil != nil } ?? ""

    var address: PostgresAddress {
        get throws { try PostgresAddress("postgresql://alice@/sync?host=\(folder.path)&port=\(Self.port)") }
    }

    func start() throws {
        guard !Self.path.isEmpty else { throw SystemError(code: ENOENT, call: "pgbouncer", advice: "run scripts/deps") }
        program = try RunningProgram(
            "/usr/bin/env",
            ["LD_LIBRARY_PATH=\(Self.unpacked)/usr/lib/x86_64-linux-gnu", Self.path, "-q", settings])
        let address = try address
        guard eventually({ (try? PostgresConnection.open(address, until: soon)) != nil }) else {
            throw SystemError(code: ETIMEDOUT, call: "pgbouncer")
        }
    }

    /// Ends it as a power cut would.
    func kill() {
        guard let program else { return }
        Glibc.kill(program.process, SIGKILL)
        _ = program.waitForExit()
        self.program = nil
    }
}
