import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Version 2 of the store")
struct OwnershipTests {
    /// A store of version 1 with rows in two tables.
    private static func oldStore(in directory: TemporaryDirectory) throws -> Database {
        let path = directory.file("keychain.db")
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        try Migrations(database: database, path: path, steps: [Schema.creation]).run()
        for (itemClass, rows) in [(ItemClass.genericPassword, 2), (.certificate, 1)] {
            let required = Schema.digestColumns(of: itemClass).filter { $0.missing != .absent }.map(\.code)
            let columns = (Schema.fixedColumns + required).joined(separator: ", ")
            for row in 0..<rows {
                let values =
                    Schema.fixedColumns.map { $0 == "uuid" || $0 == "pk" ? "x'0\(row)'" : "x'0102'" }
                    + required.map { _ in "x'00'" }
                try database.execute(
                    "INSERT INTO \(itemClass.code) (\(columns)) VALUES (\(values.joined(separator: ", ")))", "")
            }
        }
        return database
    }

    @Test("A store of version 1 is copied, and its rows are counted as nobody's")
    func migrates() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.oldStore(in: directory)
        try Migrations(database: database, path: directory.file("keychain.db")).run()
        #expect(try database.integer("PRAGMA user_version", "") == 2)
        #expect(try database.integer("SELECT count(*) FROM genp WHERE ownr = x''", "") == 2)
        #expect(try database.integer("SELECT items FROM usage WHERE ownr = x'00'", "") == 3)
        #expect(try database.integer("SELECT bytes FROM usage WHERE ownr = x''", "") == 18)
        #expect(try database.integer(Ownership.wrongCounters, "") == 0)
        let copy = try #require(directory.names.first { $0.hasSuffix(".snapshot") })
        let old = try Database(path: directory.file(copy), sharing: .shared)
        #expect(try old.integer("PRAGMA user_version", "") == 1)
        #expect(try old.integer("SELECT count(*) FROM genp", "") == 2)
    }

    @Test("Rows are counted for their owners as they come, change hands and go, and anew the same")
    func counts() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.oldStore(in: directory)
        try Migrations(database: database, path: directory.file("keychain.db")).run()
        try database.execute("UPDATE genp SET ownr = x'AA', data = x'01020304' WHERE uuid = x'00'", "")
        try database.execute("DELETE FROM cert", "")
        #expect(try database.integer("SELECT bytes FROM usage WHERE ownr = x'AA'", "") == 8)
        #expect(try database.integer("SELECT items FROM usage WHERE ownr = x''", "") == 1)
        #expect(try database.integer("SELECT bytes FROM usage WHERE ownr = x'00'", "") == 14)
        #expect(try database.integer(Ownership.wrongCounters, "") == 0)
        try database.execute("UPDATE usage SET items = 7 WHERE ownr = x'AA'", "")
        #expect(try database.integer(Ownership.wrongCounters, "") == 1)
        for statement in Ownership.recount { try database.execute(statement, "") }
        #expect(try database.integer(Ownership.wrongCounters, "") == 0)
    }
}
