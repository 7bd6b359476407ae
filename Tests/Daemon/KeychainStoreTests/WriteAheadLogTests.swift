import Glibc
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("The write-ahead log")
struct WriteAheadLogTests {
    static let sharings = [Database.Sharing.exclusive, .shared]

    /// A database whose log is never tidied up, with a table.
    private static func database(
        in directory: TemporaryDirectory, _ sharing: Database.Sharing = .exclusive
    ) throws -> Database {
        _ = try FileDescriptor.open(directory.file("keychain.db"), 0o102)
        let database = try Database(path: directory.file("keychain.db"), sharing: sharing)
        try database.execute(
            """
            PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; \
            CREATE TABLE things (id INTEGER PRIMARY KEY, name BLOB UNIQUE, content BLOB)
            """, "")
        return database
    }

    private static func add(_ count: Int, to database: Database) throws {
        try database.execute(
            """
            WITH RECURSIVE row (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM row WHERE n < \(count)) \
            INSERT INTO things (name, content) SELECT randomblob(16), zeroblob(900) FROM row
            """, "")
    }

    /// How many calls that write this thread has made.
    private static func writes() throws -> Int {
        let file = try FileDescriptor.open("/proc/thread-self/io", 0)
        let lines = String(decoding: try file.read(at: 0, count: 4096), as: UTF8.self)
        let line = try #require(lines.split(separator: "\n").first { $0.hasPrefix("syscw: ") })
        return try #require(Int(line.dropFirst(7)))
    }

    @Test("A commit is one write, however many pages it has", arguments: sharings)
    func oneWrite(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        let database = try Self.database(in: directory, sharing)
        for count in [1, 10, 30] {
            let before = try Self.writes()
            try Self.add(count, to: database)
            #expect(try Self.writes() - before == 1)
        }
    }

    @Test(
        "A transaction too large for memory is read back from the log, and gone when it is undone", arguments: sharings)
    func spilled(_ sharing: Database.Sharing) throws {
        let directory = try TemporaryDirectory()
        let database = try Self.database(in: directory, sharing)
        try database.execute("PRAGMA cache_size = 10", "")
        for isKept in [false, true] {
            try? database.transaction { () throws(DatabaseError) in
                try? Self.add(400, to: database)
                let found = try database.integer("SELECT count(*) FROM things WHERE length(content) = 900", "")
                #expect(found == 400)
                if !isKept { throw DatabaseError(code: 1, action: "") }
            }
            let other = try Database(path: directory.file("keychain.db"), sharing: sharing)
            #expect(try other.integer("SELECT count(*) FROM things", "") == (isKept ? 400 : 0))
            #expect(
                try other.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'", "") == 1)
        }
    }

    @Test("A log with room holds whole commits wherever it was cut off")
    func cutOff() throws {
        let (directory, other) = (try TemporaryDirectory(), try TemporaryDirectory())
        let path = directory.file("keychain.db")
        let database = try Self.database(in: directory)
        _ = WriteAheadLog(besides: path)
        for _ in 0..<8 { try Self.add(1, to: database) }
        let file = try AtomicFile.read(path, limit: 1 << 20)
        let log = try AtomicFile.read("\(path)-wal", limit: 2 * WriteAheadLog.room)
        #expect(log.count == WriteAheadLog.room)
        withExtendedLifetime(database) {}
        let end = try #require(log.lastIndex { $0 != 0 })
        var found: Int64 = 0
        for cut in stride(from: 0, through: end + 1100, by: 1100) {
            let copy = other.file("\(cut).db")
            try AtomicFile.replace(copy, with: file.span)
            let remains = Array(log[..<cut]) + [UInt8](repeating: 0, count: end + 10_000 - cut)
            try AtomicFile.replace("\(copy)-wal", with: remains.span)
            let opened = try Database(path: copy, sharing: .shared)
            let tables = try opened.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'things'", "")
            let rows = tables == 0 ? 0 : try opened.integer("SELECT count(*) FROM things", "") ?? -1
            #expect(rows >= found && rows <= found + 1)
            #expect(
                try opened.integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = 'ok'", "") == 1)
            found = rows
        }
        #expect(found == 8)
    }

    @Test("A log that was full gets twice the room, up to a limit, and only once it was moved into the database")
    func growing() throws {
        let directory = try TemporaryDirectory()
        let file = WriteAheadLog(besides: directory.file("keychain.db"))
        let gauge = LogGauge(of: file, counting: ChangeCount())
        func size() throws -> Int { try #require(try FileStatus(at: directory.file("keychain.db-wal"))).size }
        var rooms = [WriteAheadLog.room]
        while rooms.last != WriteAheadLog.mostRoom { rooms.append(2 * rooms[rooms.count - 1]) }
        for room in rooms + [WriteAheadLog.mostRoom] {
            #expect(try size() == room)
            gauge.noteCheckpoint()
            #expect(try size() == room)
            gauge.note(file.pages)
            #expect(gauge.isNearlyFull)
            #expect(try size() == room)
            gauge.noteCheckpoint()
            gauge.note(1)
            #expect(!gauge.isNearlyFull)
        }
    }

    @Test("A log for which there is no space stays as it was, and is not made longer later")
    func noSpace() throws {
        let directory = try TemporaryDirectory()
        let (log, aside) = (directory.file("keychain.db-wal"), directory.file("aside"))
        let file = WriteAheadLog(besides: directory.file("keychain.db"))
        let pages = file.pages
        // What cannot be written to, whoever asks.
        let isReplaced = unsafe rename(log, aside) == 0 && symlink("/dev/full", log) == 0
        file.lengthen()
        let isBack = unsafe unlink(log) == 0 && rename(aside, log) == 0
        #expect(isReplaced && isBack)
        file.lengthen()
        #expect(file.pages == pages)
        #expect(try FileStatus(at: log)?.size == WriteAheadLog.room)
    }
}
