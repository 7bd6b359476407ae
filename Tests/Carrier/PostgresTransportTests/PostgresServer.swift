import Glibc
import LinuxSystem
import PostgresTransport
import SyncTransports
import TestSupport

/// A PostgreSQL server of a test's own, which only its user reaches: it listens on a socket in a folder.
final class PostgresServer {
    private let folder: TemporaryDirectory
    private var program: RunningProgram?

    /// Starts a new one with a database `sync`, for which nothing is installed.
    init() throws {
        folder = try TemporaryDirectory(inMemory: true)
        try run("initdb", ["--no-sync", "--auth=trust", "--username=owner", "-D", data])
        try start()
        try psql("CREATE DATABASE sync", in: "postgres")
    }

    /// Starts one that follows another.
    init(standbyOf server: PostgresServer) throws {
        folder = try TemporaryDirectory(inMemory: true)
        try run(
            "pg_basebackup",
            [
                "--write-recovery-conf", "--no-sync", "--checkpoint=fast", "-h", server.folder.path, "-U", "owner",
                "-D", data,
            ])
        try start()
    }

    deinit { end(SIGQUIT) }

    static let isHere = programs != nil && geteuid() != 0

    /// Where the programs are: the system's own, or those that `scripts/deps` has unpacked.
    private static let programs: String? = ["", TestFiles.root + "/.build/postgresql"].lazy
        .flatMap { root in (13...20).reversed().map { "\(root)/usr/lib/postgresql/\($0)/bin" } }
        .first { (try? FileStatus(at: $0 + "/initdb")) ?? nil != nil }

    private var data: String { folder.file("data") }

    /// The folder of its socket.
    var place: String { folder.path }

    /// The URL for a role.
    func url(_ role: String) -> String {
        let socket = folder.path.utf8.map { $0 == UInt8(ascii: "/") ? "%2F" : String(UnicodeScalar($0)) }.joined()
        return "postgresql://\(role)@\(socket)/sync"
    }

    /// The URL of this one, or another one that takes its place.
    func url(_ role: String, or other: PostgresServer) -> String {
        "postgresql://\(role)@/sync?host=\(folder.path),\(other.folder.path)"
    }

    /// Makes a standby the server.
    func promote() throws {
        try psql("SELECT pg_promote()")
        guard eventually({ (try? psql("SELECT pg_is_in_recovery()")) == "f\n" }) else {
            throw SystemError(code: ETIMEDOUT, call: "pg_promote")
        }
    }

    func address(_ role: String) throws -> PostgresAddress { try PostgresAddress(url(role)) }

    /// Ends the server with all its processes: SIGKILL as a power cut would, SIGQUIT as its administrator.
    func end(_ signal: CInt) {
        guard let program else { return }
        var children: [Int32] = []
        if signal == SIGKILL {
            // A session could go on for a moment without the first process, and answer.
            kill(program.process, SIGSTOP)
            children = Self.children(of: program.process)
            for child in children { kill(child, SIGKILL) }
        }
        kill(program.process, signal)
        _ = program.waitForExit()
        // One that still ends has the server's memory, without which the next server does not start.
        _ = eventually { children.allSatisfy(Self.hasEnded) }
        self.program = nil
    }

    private static func hasEnded(_ process: Int32) -> Bool {
        let state = status(of: process).first
        return state == nil || state == "Z"
    }

    private static func children(of process: Int32) -> [Int32] {
        ((try? FolderEntries.names(in: "/proc")) ?? []).compactMap { Int32($0) }
            .filter { status(of: $0).dropFirst().first == "\(process)" }
    }

    /// State, parent and what follows; empty for a process that is not there.
    private static func status(of process: Int32) -> [Substring] {
        // NUMBER (NAME) STATE PARENT …
        let bytes = (try? FileDescriptor.open("/proc/\(process)/stat", O_RDONLY))?.firstBytes ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
    }

    /// Without `fsync` a kill loses nothing that was written: the machine goes on.
    func start() throws {
        try? AtomicFile.remove(state)
        program = try RunningProgram(
            "/usr/bin/env",
            Self.libraries + [
                "\(Self.programs ?? "")/postgres", "-D", data, "-k", folder.path, "-c", "listen_addresses=",
                "-c", "dynamic_shared_memory_type=mmap", "-c", "log_min_messages=panic", "-c", "max_connections=30",
                "-c", "shared_buffers=4MB", "-c", "fsync=off",
            ])
        guard eventually({ isReady }) else { throw SystemError(code: ETIMEDOUT, call: "postgres") }
    }

    private var state: String { data + "/postmaster.pid" }

    /// Whether the server says in its file that it, or a standby, takes connections.
    private var isReady: Bool {
        guard let bytes = try? AtomicFile.read(state, limit: 1 << 12) else { return false }
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        return lines.last.map { $0.hasPrefix("ready") || $0.hasPrefix("standby") } ?? false
    }

    /// Runs statements as the owner, or another role, and gives what psql prints.
    @discardableResult
    func psql(_ statements: String, in database: String = "sync", as role: String = "owner") throws -> String {
        try run(
            "psql", ["-qtAX", "-v", "ON_ERROR_STOP=1", "-h", folder.path, "-U", role, "-c", statements, database])
    }

    /// Starts psql, which reads statements from its input.
    func session(as role: String) throws -> RunningProgram {
        try RunningProgram(
            "/usr/bin/env",
            Self.libraries + [
                "sh", "-c", "exec \"$@\" 2>/dev/null", "sh", "\(Self.programs ?? "")/psql", "-qtAX", "-h", folder.path,
                "-U",
                role, "sync",
            ])
    }

    private static let libraries = ["LD_LIBRARY_PATH=\(TestFiles.root)/.build/postgresql/usr/lib/x86_64-linux-gnu"]

    @discardableResult
    private func run(_ name: String, _ arguments: [String]) throws -> String {
        let program = try RunningProgram(
            "/usr/bin/env",
            Self.libraries + ["sh", "-c", "exec \"$@\" 2>/dev/null", "sh", "\(Self.programs ?? "")/\(name)"] + arguments
        )
        let text = try program.output.readAll()
        guard program.waitForExit() == 0 else { throw SystemError(code: EINVAL, call: name, advice: text) }
        return text
    }
}

enum TestFiles {
    static let root = #filePath.components(before: "/Tests/Carrier/")
}

extension String {
    fileprivate func components(before mark: String) -> String {
        guard let range = firstRange(of: mark) else { return self }
        return String(self[..<range.lowerBound])
    }
}

extension FileDescriptor {
    fileprivate var firstBytes: [UInt8] {
        var room = [UInt8](repeating: 0, count: 1024)
        var span = room.mutableSpan
        let count = (try? readFully(into: &span)) ?? 0
        return Array(room.prefix(count))
    }

    fileprivate func readAll() throws -> String {
        var (all, room) = ([UInt8](), [UInt8](repeating: 0, count: 4096))
        while true {
            var span = room.mutableSpan
            guard let count = try read(into: &span), count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += room.prefix(count)
        }
    }
}
