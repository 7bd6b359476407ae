import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A user who can write the file and has no key gains nothing: their changes are hidden and reported.
@Suite("Tampering with the columns of rows")
struct TamperTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private func fill() throws {
        for name in ["a", "b", "c"] {
            try engine.add(name, "value of \(name)", more: ["labl": .string("label \(name)")])
        }
    }

    /// The columns of the table of generic passwords.
    static let columns = RowCodes.columnNames(of: .genericPassword).filter { $0 != "id" } + [RowCodes.column]

    @Test(
        "Any column of a row that is made another hides the row, and verification names it",
        .rule("queries.rows.damaged"), arguments: columns)
    func changed(_ column: String) throws {
        try fill()
        for value in ["x'00112233445566778899aabbccddeeff'", "7", "NULL", "'text'", "x''"] {
            try? engine.tamper("CREATE TABLE kept AS SELECT * FROM genp WHERE id = 2")
            do { try engine.tamper("UPDATE genp SET \(column) = \(value) WHERE id = 2") } catch { continue }
            let isSame =
                try count("SELECT count(*) FROM genp JOIN kept USING (id) WHERE genp.\(column) IS kept.\(column)") == 1
            #expect(try engine.values().keys.sorted() == (isSame ? ["a", "b", "c"] : ["a", "c"]), "\(value)")
            #expect(try engine.verify().damage.map(\.row) == (isSame ? [] : [2]), "\(value)")
            try engine.tamper("UPDATE genp SET \(column) = (SELECT \(column) FROM kept) WHERE id = 2")
            #expect(try engine.values().count == 3)
        }
    }

    @Test("Any column that is copied from another row hides the row", arguments: columns)
    func copied(_ column: String) throws {
        try fill()
        let isDifferent = try count("SELECT count(DISTINCT \(column)) FROM genp WHERE id < 3") == 2
        do {
            try engine.tamper("UPDATE genp SET \(column) = (SELECT \(column) FROM genp WHERE id = 1) WHERE id = 2")
        } catch {
            // No two rows have the same.
            return #expect(["uuid", "pk"].contains(column))
        }
        #expect(try engine.values().count == (isDifferent ? 2 : 3))
        #expect(try engine.verify().damage.map(\.row) == (isDifferent ? [2] : []))
    }

    @Test("Two rows that change their columns are both hidden", arguments: columns)
    func swapped(_ column: String) throws {
        try fill()
        guard try count("SELECT count(DISTINCT \(column)) FROM genp WHERE id < 3") == 2 else { return }
        try engine.tamper(
            """
            CREATE TABLE kept AS SELECT id, \(column) FROM genp; \
            UPDATE genp SET \(column) = (SELECT \(column) FROM genp WHERE id = 3) || x'01' WHERE id = 1; \
            UPDATE genp SET \(column) = (SELECT \(column) FROM kept WHERE id = 1) WHERE id = 2; \
            UPDATE genp SET \(column) = (SELECT \(column) FROM kept WHERE id = 2) WHERE id = 1
            """)
        #expect(try engine.values() == ["c": "value of c"])
        #expect(try engine.verify().damage.map(\.row) == [1, 2])
    }

    @Test("A password is not handed to whom its service was copied for, nor to a program whose group it was given")
    func handedOver() throws {
        _ = try engine.write(try Self.addition("bank-secret", service: "bank.example"))
        _ = try engine.write(try Self.addition("of little worth", service: "evil.example"))
        let other = CallerIdentity(user: 0, process: 0, program: "other", groups: ["other"])
        _ = try engine.perform(try Self.addition("own", service: "own.example"), from: other)
        try engine.tamper("UPDATE genp SET svce = (SELECT svce FROM genp WHERE id = 2) WHERE id = 1")
        let evil = try ItemReader.lookup(["svce": .string("evil.example"), "r_Data": .boolean(true)])
        #expect(try engine.read(evil).items.first?.attributes[.valueData]?.string == "of little worth")
        try engine.tamper("UPDATE genp SET agrp = (SELECT agrp FROM genp WHERE id = 3) WHERE id IN (1, 2)")
        let own = try ItemReader.lookup(["r_Data": .boolean(true), "m_Limit": .string("m_LimitAll")])
        let found = try engine.perform(own, from: other).items.compactMap { $0.attributes[.valueData]?.string }
        #expect(found == ["own"])
        #expect(try engine.verify().damage.map(\.row) == [1, 2])
    }

    @Test("What is hidden is neither changed nor deleted by a query that its columns were made to meet")
    func neitherChangedNorDeleted() throws {
        try fill()
        try engine.tamper("UPDATE genp SET acct = (SELECT acct FROM genp WHERE id = 1) WHERE id IN (2, 3)")
        try engine.update("a", to: "new")
        var deletion = ItemRequestBuilder(.delete)
        try deletion.set("class", .string("genp"))
        try deletion.set("acct", .string("a"))
        let request = try deletion.build()
        _ = try engine.write(request)
        #expect(try count("SELECT count(*) FROM genp") == 2)
        #expect(refusal { _ = try engine.write(request) }?.status == .itemNotFound)
    }

    @Test("A row is hidden although its class is closed and nothing of it can be opened")
    func locked() throws {
        try fill()
        try engine.tamper("UPDATE genp SET labl = x'00112233445566778899aabbccddeeff' WHERE id = 2")
        #expect(try engine.verify().damage.map(\.problem) == ["its code does not open"])
    }

    @Test(
        "A row that somebody has made a tombstone is put aside, not deleted, when an item takes its place",
        .rule("items.primary-key.damaged"))
    func forgedTombstone() throws {
        try fill()
        try engine.tamper("UPDATE genp SET tomb = 1 WHERE id = 1")
        try engine.add("a", "new")
        #expect(try engine.values()["a"] == "new")
        #expect(try count("SELECT count(*) FROM quarantine") == 1)
    }

    @Test(
        "Rows whose class has a damaged metadata key are not taken for locked",
        arguments: ["x'00'", "zeroblob(60)", "x''", "7"])
    func metadataKey(_ key: String) throws {
        try fill()
        try engine.tamper("UPDATE metadatakeys SET wrapped = \(key)")
        let again = try TestEngine(in: directory)
        #expect(try again.values() == [:])
        let report = try again.verify()
        #expect(report.damage.map(\.problem) == Array(repeating: "its class's metadata key does not open", count: 3))
        #expect(report.locked == 0)
    }

    @Test("Each row that is hidden is told once in the log, without its name")
    func told() throws {
        try fill()
        let lines = Lock<[String]>([])
        engine.engine.store.damage.tell { line in lines.withLock { lines in lines.append(line) } }
        try engine.tamper("UPDATE genp SET labl = x'00' WHERE id = 2")
        for _ in 0..<3 { #expect(try engine.values().count == 2) }
        #expect(lines.withLock { $0.count } == 1)
        #expect(lines.withLock { $0.allSatisfy { $0.hasPrefix("Row 2 of genp") && !$0.contains("label") } })
    }

    @Test("A column that is added to the table, and NULL, needs no new codes")
    func laterColumn() throws {
        try fill()
        try engine.tamper("ALTER TABLE genp ADD COLUMN later BLOB")
        #expect(try engine.values().count == 3)
        #expect(try engine.verify().damage.isEmpty)
    }

    private static let foreign = [
        "CREATE TRIGGER kept AFTER DELETE ON genp BEGIN INSERT INTO quarantine "
            + "SELECT OLD.id, 'genp', 1, OLD.uuid, OLD.pk, 0, 0, OLD.wkey, OLD.meta, OLD.data; END",
        "CREATE TRIGGER never BEFORE DELETE ON genp BEGIN SELECT RAISE(IGNORE); END",
        "CREATE VIEW shown AS SELECT * FROM genp",
        "DROP TRIGGER genp_goes; CREATE TRIGGER genp_goes AFTER DELETE ON genp BEGIN SELECT 1; END",
        "DROP TRIGGER genp_goes",
        "DROP INDEX genp_acct",
        "DROP INDEX genp_acct; CREATE INDEX genp_acct ON genp (acct) WHERE tomb = 1",
        "CREATE UNIQUE INDEX one ON genp (tomb)",
        "ALTER TABLE genp ADD COLUMN later BLOB DEFAULT x'01'",
        "ALTER TABLE genp ADD COLUMN later BLOB CHECK (id < 2)",
        "CREATE TRIGGER kept AFTER DELETE ON genp BEGIN SELECT 1; END; PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_schema SET type = 'Trigger' WHERE name = 'kept'",
        changing("pk BLOB NOT NULL UNIQUE", to: "pk BLOB NOT NULL UNIQUE ON CONFLICT IGNORE"),
        changing("pdmn INTEGER", to: "pdmn TEXT"),
        changing("code BLOB NOT NULL)", to: "code BLOB NOT NULL, CHECK (id < 9))"),
        changing("code BLOB NOT NULL)", to: "code BLOB NOT NULL CHECK (id < 9))"),
        changing("code BLOB NOT NULL)", to: "code BLOB NOT NULL COLLATE NOCASE, later BLOB)"),
    ]

    /// Changes the text of a table.
    private static func changing(_ old: String, to new: String) -> String {
        "PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_schema SET sql = replace(sql, '\(old)', '\(new)') WHERE name = 'genp'"
    }

    private static let harmless = [
        "CREATE TABLE notes (text TEXT UNIQUE)",
        "CREATE TABLE \"copies\" AS SELECT * FROM genp",
        "ALTER TABLE genp ADD COLUMN later BLOB; ALTER TABLE genp ADD COLUMN last INTEGER",
        "ANALYZE",
    ]

    @Test("A store with other tables, or columns that may be missing, is read and written", arguments: harmless)
    func harmlessObjects(_ statement: String) throws {
        try engine.add("a", "value")
        try engine.tamper(statement)
        try engine.add("b", "value")
        #expect(try TestEngine(in: directory).values().count == 2)
        #expect(try engine.verify().file.isEmpty)
    }

    @Test("What makes a table of ours under another name is not taken for a table of somebody else's")
    func disguised() {
        for (name, text) in [
            ("IF", "CREATE TABLE IF NOT EXISTS mark (id)"), ("main", "CREATE TABLE main .mark (id)"),
            ("mark(id", "CREATE TABLE mark(id (1))"), ("MARK", "CREATE TABLE MARK (id)"),
            ("x", "CREATE TABLE mark (id)"),
            ("x", "CREATE TABLE x/**/.mark (id)"), ("x", "CREATE VIRTUAL TABLE x USING other"),
            ("x", "CREATE TRIGGER x AFTER DELETE ON genp BEGIN SELECT 1; END"),
        ] {
            var check = SchemaCheck()
            let before = check.count
            check.note(type: "table", name: name, text: text)
            #expect(check.count == before + 1, "\(text)")
        }
    }

    @Test("A trigger that is put in while the store is open has the next write refused")
    func whileOpen() throws {
        try engine.add("a", "value")
        try engine.tamper("CREATE TRIGGER never AFTER INSERT ON genp BEGIN DELETE FROM genp WHERE id = NEW.id; END")
        #expect(refusal { try engine.add("b", "value") }?.status == .notAvailable)
        #expect(try engine.values() == ["a": "value"])
    }

    @Test("Rows with numbers that are never given are told by verification", arguments: [0, -1])
    func unnumbered(_ number: Int) throws {
        try fill()
        try engine.tamper("UPDATE genp SET id = \(number) WHERE id = 2")
        #expect(try engine.verify().file.contains("1 rows have numbers"))
    }

    @Test(
        "A store with anything in its schema that is none of ours is read and not written, and both are told",
        arguments: foreign)
    func foreignObjects(_ statement: String) throws {
        let other = try TemporaryDirectory()
        do {
            let engine = try TestEngine(in: other)
            try engine.add("a", "value")
            #expect(try engine.verify().file.isEmpty)
            try engine.tamper(statement)
            #expect(try engine.verify().file.contains("1 tables, indexes, triggers or views"))
        }
        let lines = Lock<[String]>([])
        let engine = try TestEngine(in: other, log: { line in lines.withLock { $0.append(line) } })
        #expect(lines.withLock { $0.contains { $0.contains("did not make") } })
        #expect(try engine.values() == ["a": "value"])
        for write in [{ try engine.add("b", "value") }, { try engine.update("a", to: "new") }] {
            #expect(refusal(write)?.status == .notAvailable)
        }
        #expect(try engine.values() == ["a": "value"])
    }

    private func count(_ sql: String) throws -> Int64? {
        try Database(path: "\(engine.folder)/keychain.db", sharing: .shared).integer(sql, "be counted")
    }

    private static func addition(_ value: String, service: String) throws -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("genp"))
        try builder.set("svce", .string(service))
        try builder.set("v_Data", data: Array(value.utf8).span)
        return try builder.build()
    }
}
