import Glibc
import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Checkpoints")
struct CheckpointTests {
    static let sharings = [Database.Sharing.exclusive, .shared]

    /// A database in WAL mode with a table.
    private static func database(
        in directory: TemporaryDirectory, _ sharing: Database.Sharing
    ) throws -> Database {
        _ = try FileDescriptor.open(directory.file("keychain.db"), 0o102)
        let database = try Database(path: directory.file("keychain.db"), sharing: sharing)
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
            CREATE TABLE things (id INTEGER PRIMARY KEY, content BLOB)
            """, "")
        return database
    }

    private static func add(_ count: Int, to database: Database) throws {
        try database.execute(
            """
            WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < \(count)) \
            INSERT INTO things (content) SELECT zeroblob(4000) FROM row
            """, "")
    }

    private static func count(_ database: Database) throws -> Int64? {
        try database.integer("SELECT count(*) FROM things", "")
    }

    private static func size(of name: String, in directory: TemporaryDirectory) throws -> Int {
        try #require(try FileStatus(at: directory.file(name))).size
    }

    @Test("Neither a long log nor the last connection that closes makes one", arguments: sharings)
    func onlyWhenAsked(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        do {
            let database = try Self.database(in: directory, sharing)
            try Self.add(3000, to: database)
        }
        #expect(try Self.size(of: "keychain.db", in: directory) <= 4096)
        #expect(try Self.size(of: "keychain.db-wal", in: directory) > 11 << 20)
        let again = try Database(path: directory.file("keychain.db"), sharing: sharing)
        #expect(try Self.count(again) == 3000)
    }

    @Test("One that is complete lets the log begin again", arguments: sharings)
    func complete(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        let database = try Self.database(in: directory, sharing)
        try Self.add(1500, to: database)
        let size = try Self.size(of: "keychain.db-wal", in: directory)
        #expect(try database.checkpoint(by: soon))
        #expect(try Self.size(of: "keychain.db", in: directory) > 5 << 20)
        try Self.add(1000, to: database)
        #expect(try Self.size(of: "keychain.db-wal", in: directory) == size)
        #expect(try Self.count(database) == 2500)
    }

    @Test("One that a reader of an older state holds up is given up, and nothing of it counts", arguments: sharings)
    func givenUp(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        let database = try Self.database(in: directory, sharing)
        try Self.add(10, to: database)
        let reader = try Database(path: directory.file("keychain.db"), sharing: sharing)
        try reader.execute("BEGIN", "")
        #expect(try Self.count(reader) == 10)
        try Self.add(10, to: database)
        #expect(try !database.checkpoint(by: .after(milliseconds: 20)))
        #expect(try Self.moved(in: directory, sharing) ?? 0 == 0)
        #expect(try Self.count(reader) == 10)
        try reader.execute("COMMIT", "")
        #expect(try database.checkpoint(by: soon))
        #expect(try Self.count(reader) == 20)
        try Self.add(1, to: database)
        #expect(try Self.count(database) == 21)
    }

    /// How many frames of the log count as moved: https://www.sqlite.org/walformat.html, section 2.1.2. Nil where the
    /// index is in the memory of the process.
    private static func moved(in directory: TemporaryDirectory, _ sharing: Database.Sharing) throws -> UInt32? {
        guard sharing == .shared else { return nil }
        let index = try AtomicFile.read(directory.file("keychain.db-shm"), limit: 1 << 20)
        return (0..<4).reduce(0) { $0 | UInt32(index[96 + $1]) << (8 * UInt32($1)) }
    }

    @Test("A reader of the newest state does not hold one up", arguments: sharings)
    func besideNewReader(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        let database = try Self.database(in: directory, sharing)
        try Self.add(10, to: database)
        let reader = try Database(path: directory.file("keychain.db"), sharing: sharing)
        try reader.execute("BEGIN", "")
        #expect(try Self.count(reader) == 10)
        #expect(try database.checkpoint(by: .now))
        #expect(try Self.count(reader) == 10)
    }

    @Test(
        "None is made beside a write transaction of any connection, and no transaction begins beside one",
        arguments: sharings)
    func apart(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        let database = try Self.database(in: directory, sharing)
        try Self.add(10, to: database)
        let other = try Database(path: directory.file("keychain.db"), sharing: sharing)
        try other.execute("BEGIN IMMEDIATE", "")
        #expect(try !database.checkpoint(by: .after(milliseconds: 20)))
        #expect(try Self.moved(in: directory, sharing) ?? 0 == 0)
        try Self.add(1, to: other)
        try other.execute("COMMIT", "")
        #expect(try database.checkpoint(by: soon))
        #expect(try Self.count(other) == 11)
    }

    @Test("One that was given up is due again when the log has grown by as much as makes one due")
    func dueAgain() {
        let log = LogLength(counting: ChangeCount())
        func commit(_ pages: Int32) { unsafe LogLength.note(Unmanaged.passUnretained(log).toOpaque(), pages) }
        commit(999)
        #expect(!log.isDue)
        commit(1001)
        #expect(log.isDue)
        log.noteCheckpoint(isComplete: false)
        #expect(!log.isDue)
        commit(2000)
        #expect(!log.isDue)
        commit(2001)
        #expect(log.isDue)
        log.noteCheckpoint(isComplete: true)
        commit(3)
        #expect(!log.isDue)
        commit(1000)
        #expect(log.isDue)
        // Somebody reads the log all the time, so it does not begin again.
        log.noteCheckpoint(isComplete: true)
        commit(1003)
        #expect(!log.isDue)
        commit(2000)
        #expect(log.isDue)
        withExtendedLifetime(log) {}
    }
}
