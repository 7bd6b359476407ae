import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Migrations")
struct MigrationTests {
    private static let present = Int64(Schema.version)
    private static let nextStep = ["ALTER TABLE genp ADD COLUMN later BLOB", "UPDATE genp SET later = x'01'"]

    @Test("A store is copied whole before its first migration, and the copy opens")
    func snapshotFirst() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.store(at: directory.file("keychain.db"))
        try Self.migrations(database, directory, adding: Self.nextStep).run()

        #expect(try database.integer("PRAGMA user_version", "") == Self.present + 1)
        #expect(try database.integer("SELECT count(*) FROM genp WHERE later = x'01'", "") == 1)
        let copies = directory.names.filter { $0.hasSuffix(".snapshot") }
        #expect(copies.count == 1)
        let copy = try Database(path: directory.file(try #require(copies.first)), sharing: .shared)
        #expect(try copy.integer("PRAGMA user_version", "") == Self.present)
        #expect(try copy.integer("SELECT count(*) FROM genp", "") == 1)
    }

    @Test("A migration that fails in the middle leaves the store as it was")
    func failedStep() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.store(at: directory.file("keychain.db"))
        let broken = Self.nextStep + ["INSERT INTO nowhere VALUES (1)"]
        #expect(throws: Refusal.self) { try Self.migrations(database, directory, adding: broken).run() }
        #expect(try database.integer("PRAGMA user_version", "") == Self.present)
        #expect(throws: DatabaseError.self) { try database.integer("SELECT later FROM genp", "") }
        #expect(try database.integer("SELECT count(*) FROM genp", "") == 1)
    }

    @Test("A store that is up to date is neither copied nor changed")
    func upToDate() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.store(at: directory.file("keychain.db"))
        try Self.migrations(database, directory, adding: nil).run()
        #expect(directory.names.filter { $0.hasSuffix(".snapshot") }.isEmpty)
    }

    private static func migrations(
        _ database: Database, _ directory: TemporaryDirectory, adding step: [String]?
    ) -> Migrations {
        Migrations(database: database, path: directory.file("keychain.db"), steps: step.map { [present: $0] } ?? [:])
    }

    /// A store of the present version with one row.
    private static func store(at path: String) throws -> Database {
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        try Migrations(database: database, path: path).run()
        let required = Schema.digestColumns(of: .genericPassword).filter { $0.missing != .absent }.map(\.code)
        let named = Schema.fixedColumns + required + [Ownership.column, RowCodes.column]
        let (columns, values) = (named.joined(separator: ", "), named.map { _ in "x'00'" })
        try database.execute("INSERT INTO genp (\(columns)) VALUES (\(values.joined(separator: ", ")))", "")
        return database
    }
}
