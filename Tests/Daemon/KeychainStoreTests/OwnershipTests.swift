import KeychainModel
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainStore

@Suite("Owners of rows, and what they have")
struct OwnershipTests {
    /// A store of an older version.
    private static func oldStore(_ version: Int, in directory: TemporaryDirectory) throws -> Database {
        let path = directory.file("keychain.db")
        _ = try FileDescriptor.open(path, 0o102)
        let database = try Database(path: path, sharing: .shared)
        for statement in OlderStore.creation { try database.execute(statement, "") }
        try database.execute("PRAGMA user_version = 1", "")
        let steps = Migrations.all.filter { $0.key < version }
        try Migrations(database: database, path: path, steps: steps).run()
        return database
    }

    /// A store of version 1 with rows in two tables.
    private static func filledStore(in directory: TemporaryDirectory) throws -> Database {
        let database = try oldStore(1, in: directory)
        for row in 0..<2 { try add(row, to: .genericPassword, in: database) }
        try add(2, to: .certificate, in: database)
        return database
    }

    private static func add(
        _ row: Int, to itemClass: ItemClass, owner: String? = nil, data: String = "x'0102'", in database: Database
    ) throws {
        let required = OlderStore.digests(of: itemClass).filter { $0.missing != .absent }.map(\.code)
        let columns = Schema.fixedColumns + required + (owner == nil ? [] : [Ownership.column])
        let unique = "x'\(String(row + 0x1000, radix: 16))00'"
        let content = ["uuid": unique, "pk": unique, "data": data]
        var values = Schema.fixedColumns.map { content[$0] ?? "x'0102'" }
        values += required.map { _ in "x'00'" }
        if let owner { values.append(owner) }
        try database.execute(
            "INSERT INTO \(itemClass.code) (\(columns.joined(separator: ", "))) "
                + "VALUES (\(values.joined(separator: ", ")))", "")
    }

    /// Rows and bytes of everybody and of one owner, as the counters have them.
    private static func usage(of owner: String, in database: Database) throws -> [Int64] {
        let statement = try database.prepare(
            UsageCounters.reading.replacing("?1", with: owner), "be counted")
        _ = try statement.step()
        return (0..<4).map { statement.integer($0) }
    }

    /// The same from the rows themselves.
    private static func truth(of owner: String, in database: Database) throws -> [Int64] {
        var found: [Int64] = [0, 0, 0, 0]
        for itemClass in ItemClass.stored {
            let size = "length(wkey) + length(meta) + length(data)"
            let statement = try database.prepare(
                """
                SELECT count(*), coalesce(sum(\(size)), 0), coalesce(sum(ownr = \(owner)), 0), \
                coalesce(sum((ownr = \(owner)) * (\(size))), 0) FROM \(itemClass.code)
                """, "be counted")
            _ = try statement.step()
            for index in 0..<4 { found[index] += statement.integer(Int32(index)) }
        }
        return found
    }

    @Test("A store of version 1 is copied, and its rows are counted as nobody's")
    func migrates() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.filledStore(in: directory)
        try Migrations(database: database, path: directory.file("keychain.db")).run()
        for statement in HistoryTable.creation { try database.execute(statement, "") }
        #expect(try database.integer("PRAGMA user_version", "") == 4)
        #expect(try database.integer("SELECT count(*) FROM genp WHERE ownr = x''", "") == 2)
        #expect(try Self.usage(of: "x''", in: database) == [3, 18, 3, 18])
        #expect(try database.integer(UsageCounters.wrongCounters, "") == 0)
        let copy = try #require(directory.names.first { $0.hasSuffix(".snapshot") })
        let old = try Database(path: directory.file(copy), sharing: .shared)
        #expect(try old.integer("PRAGMA user_version", "") == 1)
        #expect(try old.integer("SELECT count(*) FROM genp", "") == 2)
    }

    @Test("A store that counted later, as version 3 did, has true counters from then on")
    func migratesCounters() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.oldStore(3, in: directory)
        try database.execute("CREATE TABLE counted (class TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID", "")
        try database.execute("CREATE TRIGGER genp_goes AFTER DELETE ON genp BEGIN DELETE FROM counted; END", "")
        for row in 1...2 { try Self.add(row, to: .genericPassword, owner: "x'AA'", in: database) }
        #expect(try database.integer("SELECT count(*) FROM usage", "") == 0)
        try Migrations(database: database, path: directory.file("keychain.db")).run()
        for statement in HistoryTable.creation { try database.execute(statement, "") }
        #expect(try Self.usage(of: "x'AA'", in: database) == [2, 12, 2, 12])
        try Self.add(3, to: .genericPassword, owner: "x'AA'", in: database)
        try database.execute("DELETE FROM genp WHERE id = 1", "")
        #expect(try Self.usage(of: "x'AA'", in: database) == [2, 12, 2, 12])
        #expect(try database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'counted'", "") == 0)
    }

    @Test("Rows are counted for their owners as they come, change hands and go")
    func counts() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.filledStore(in: directory)
        try Migrations(database: database, path: directory.file("keychain.db")).run()
        for statement in HistoryTable.creation { try database.execute(statement, "") }
        try database.execute("PRAGMA synchronous = OFF", "")
        var random = SplitMix64(seed: 7)
        let owners = ["x'AA'", "x'BB'", "x''"]
        for step in 3..<1500 {
            let table = Bool.random(using: &random) ? ItemClass.genericPassword : .certificate
            let owner = owners.randomElement(using: &random) ?? "x''"
            let data = "x'\(String(repeating: "07", count: Int.random(in: 0..<9, using: &random)))'"
            let order = step % 2 == 0 ? "pk" : "id DESC"
            let chosen = "(SELECT id FROM \(table.code) ORDER BY \(order) LIMIT \(1 + step % 3))"
            switch Int.random(in: 0..<100, using: &random) {
            case ..<50: try Self.add(step, to: table, owner: owner, data: data, in: database)
            case ..<75: try database.execute("DELETE FROM \(table.code) WHERE id IN \(chosen)", "")
            case ..<98:
                try database.execute(
                    "UPDATE \(table.code) SET ownr = \(owner), data = \(data) WHERE id IN \(chosen)", "")
            default: try database.execute("DELETE FROM \(table.code) WHERE ownr = \(owner)", "")
            }
            #expect(try database.integer(UsageCounters.wrongCounters, "") == 0)
            #expect(try Self.usage(of: owner, in: database) == Self.truth(of: owner, in: database))
        }
    }

    @Test("Wrong counters are noticed, and made anew from the rows")
    func recount() throws {
        let directory = try TemporaryDirectory()
        let database = try Self.filledStore(in: directory)
        try Migrations(database: database, path: directory.file("keychain.db")).run()
        for statement in HistoryTable.creation { try database.execute(statement, "") }
        for damage in [
            "UPDATE usage SET items = 7 WHERE ownr = x''", "DELETE FROM usage WHERE ownr = x'00'",
            "INSERT INTO usage VALUES (x'CC', 1, 1)",
        ] {
            try database.execute(damage, "")
            #expect(try database.integer(UsageCounters.wrongCounters, "") ?? 0 > 0, "\(damage)")
            for statement in UsageCounters.recount { try database.execute(statement, "") }
            #expect(try database.integer(UsageCounters.wrongCounters, "") == 0)
            #expect(try Self.usage(of: "x''", in: database) == [3, 18, 3, 18])
        }
    }
}
