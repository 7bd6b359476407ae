import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("A log that another process left")
struct LogOnDiskTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("keychain.db") }

    init() throws { directory = try TemporaryDirectory() }

    /// A store whose log has so many commits, and nobody who has it open.
    private func leaveLog(_ commits: Int) throws {
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        try database.execute("PRAGMA journal_mode = WAL; CREATE TABLE things (content BLOB)", "")
        for _ in 0..<commits { try database.execute("INSERT INTO things VALUES (randomblob(3000))", "") }
    }

    @Test(
        "Writing it once more changes none of its bytes, and all that was committed is there", arguments: [1, 40, 400])
    func same(_ commits: Int) throws {
        try leaveLog(commits)
        let before = (try AtomicFile.read(path, limit: 1 << 24), try AtomicFile.read(path + "-wal", limit: 1 << 24))
        try LogOnDisk.ensure(of: path, isNew: true)
        #expect(try AtomicFile.read(path, limit: 1 << 24) == before.0)
        #expect(try AtomicFile.read(path + "-wal", limit: 1 << 24) == before.1)
        let database = try Database(path: path, sharing: .shared)
        #expect(try database.integer("SELECT count(*) FROM things", "") == Int64(commits))
    }

    @Test(
        "A log that is missing, empty, cut short or none at all is no reason to refuse",
        arguments: [0, 1, 31, 32, 40, 5000])
    func broken(_ size: Int) throws {
        try leaveLog(3)
        let log = try AtomicFile.read(path + "-wal", limit: 1 << 24)
        try AtomicFile.replace(path + "-wal", with: log.span.extracting(..<size))
        try LogOnDisk.ensure(of: path, isNew: false)
        #expect(try AtomicFile.read(path + "-wal", limit: 1 << 24) == Array(log[..<size]))
        try AtomicFile.replace(path + "-wal", with: [UInt8](repeating: 0xA5, count: size).span)
        try LogOnDisk.ensure(of: path, isNew: false)
        try LogOnDisk.ensure(of: directory.file("nothing"), isNew: true)
    }

    @Test("One that cannot be written keeps the store from being opened")
    func refused() throws {
        try leaveLog(3)
        try AtomicFile.remove(path + "-wal")
        #expect(unsafe mkdir(path + "-wal", 0o700) == 0)
        #expect(throws: SystemError.self) { try LogOnDisk.ensure(of: path, isNew: true) }
    }
}
