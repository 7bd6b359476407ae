import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Stores of earlier versions, whose columns had digests of everything.
@Suite("Bringing the columns up to date")
struct ColumnMigrationTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/keychain" }
    private static let other = CallerIdentity(user: 0, process: 0, program: "other", groups: ["other"])

    init() throws {
        directory = try TemporaryDirectory()
        try PrivateDirectory.ensure(directory.path + "/keychain")
        try StoreFixtures.unpack("version5", into: directory.path + "/keychain")
    }

    private func tamper(_ statements: [String]) throws {
        let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
        for statement in statements { try database.execute(statement, "be damaged") }
    }

    /// The changes that make version 4 of it.
    private static let withoutCodes =
        ItemClass.stored.map { "ALTER TABLE \($0.code) DROP COLUMN code" } + ["PRAGMA user_version = 4"]

    private func search(_ query: [String: RawValue]) throws -> ItemRequest {
        var query = query
        query["r_Data"] = .boolean(true)
        query["m_Limit"] = .string("m_LimitAll")
        query["sync"] = .string("syna")
        return try ItemReader.lookup(query)
    }

    /// The values that a caller finds.
    private func found(_ engine: TestEngine, _ query: [String: RawValue], as caller: CallerIdentity) throws -> [String]
    {
        let request = try search(query)
        do throws(Refusal) {
            return try engine.perform(request, from: caller).items.compactMap { $0.attributes[.valueData]?.string }
        } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }

    @Test("A store is copied and keeps its items, with and without codes", arguments: [[], withoutCodes])
    func migrated(_ statements: [String]) throws {
        try tamper(statements)
        let engine = try TestEngine(in: directory)
        let report = try engine.verify()
        #expect(report.damage.isEmpty && report.file.isEmpty && report.checked == 24 && report.locked == 0)
        #expect(try engine.wrongCounters() == 0)
        for caller in [TestEngine.caller, Self.other] {
            let shared = try found(engine, ["svce": .string("shared.example")], as: caller)
            #expect(shared == ["shared of \(caller.groups[0])"])
            #expect(try found(engine, ["icmt": .string("note\n")], as: caller) == ["all"])
            #expect(try found(engine, [:], as: caller).count == 6)
        }
        #expect(try FolderEntries.names(in: folder).count { $0.hasSuffix(".snapshot") } == 1)
    }

    @Test("Any number of rows at once will do")
    func batches() throws {
        do {
            let enclave = try SoftwareEnclave(vault: "\(folder)/vault", createIfMissing: false)
            let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
            try ColumnMigration(database: database, digester: AttributeDigester(enclave.indexKey()), atOnce: 3).run()
        }
        let report = try TestEngine(in: directory).verify()
        #expect(report.damage.isEmpty && report.checked == 24)
    }

    @Test("A row that was changed without the key gets no code, and stays hidden")
    func hidden() throws {
        try tamper(["UPDATE genp SET agrp = (SELECT agrp FROM genp WHERE id = 2) WHERE id = 1"])
        let engine = try TestEngine(in: directory)
        #expect(try engine.verify().damage.map(\.row) == [1])
        #expect(try !found(engine, [:], as: Self.other).contains("bank-secret"))
    }

    @Test("A store that is made to look older, so that its rows get codes anew, hands nothing to another program")
    func madeOlder() throws {
        try tamper(Self.withoutCodes + ["UPDATE genp SET agrp = (SELECT agrp FROM genp WHERE id = 2) WHERE id = 1"])
        let engine = try TestEngine(in: directory)
        #expect(try !found(engine, [:], as: Self.other).contains("bank-secret"))
        var update = ItemRequestBuilder(.update)
        try update.set("class", .string("genp"))
        try update.set("svce", .string("bank.example"))
        try update.change("agrp", .string("other"))
        let request = try update.build()
        #expect(refusal { _ = try engine.perform(request, from: Self.other) }?.status == .itemNotFound)
        #expect(try engine.verify().damage.map(\.row) == [1])
    }

    @Test("A store is not brought up to date while another program uses it")
    func alone() throws {
        let other = try FileLock("\(folder)/keychain.lock", .shared, deadline: .now)
        let store = try ItemStore(folder: folder, prefersExclusive: false)
        let refusal = refusal { try store.migrate(with: SecretBytes(count: 32), timeout: 50) }
        #expect(refusal?.problem.contains("other programs use it") == true)
        withExtendedLifetime(other) {}
    }

    @Test("Who opens a store while another process brings it up to date is told so at its deadline")
    func refusedMeanwhile() throws {
        let other = try FileLock("\(folder)/keychain.lock", .exclusive, deadline: .now)
        try other.mark()
        let refusal = refusal {
            _ = try ItemStore(folder: folder, prefersExclusive: false, by: .after(milliseconds: 50), timeout: 0)
        }
        #expect(refusal?.status == .notAvailable)
        #expect(refusal?.problem.contains("is bringing the store") == true)
        other.unmark()
        let owned = #expect(throws: Refusal.self) {
            _ = try ItemStore(folder: folder, prefersExclusive: false, by: .never, timeout: 0)
        }
        #expect(owned?.remedy.contains("daemon owns it") == true)
    }

    @Test("Who opens a store while another process brings it up to date waits for it, longer than for anybody else")
    func waits() throws {
        let other = try FileLock("\(folder)/keychain.lock", .exclusive, deadline: .now)
        try other.mark()
        let end = try Thread(named: "migrating") {
            letPass(microseconds: 100_000)
            other.release()
            other.unmark()
        }
        _ = try ItemStore(folder: folder, prefersExclusive: false, by: soon, timeout: 0)
        end.join()
    }

    private static let foreign = [
        "CREATE VIEW shown AS SELECT id, icmt FROM genp",
        "CREATE TRIGGER evil AFTER INSERT ON genp BEGIN DELETE FROM genp; END",
        "CREATE TRIGGER evil AFTER DELETE ON usage BEGIN DELETE FROM genp; END; PRAGMA writable_schema = ON; "
            + "UPDATE sqlite_schema SET type = 'Trigger' WHERE name = 'evil'",
    ]

    @Test(
        "A store with triggers or views of somebody else's is left alone, and not copied",
        arguments: foreign, [5, 3])
    func foreignObjects(_ statement: String, version: Int) throws {
        if version == 3 { try tamper(Self.withoutCodes + ["PRAGMA user_version = 3"]) }
        try tamper([statement])
        #expect(refusal { _ = try TestEngine(in: directory) }?.problem.contains("1 triggers or views") == true)
        let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
        #expect(try database.integer("PRAGMA user_version", "") == Int64(version))
        #expect(try database.integer("SELECT count(cusi) + count(*) FROM genp", "") == 18)
        #expect(try FolderEntries.names(in: folder).allSatisfy { !$0.contains("snapshot") })
    }

    @Test("A failure leaves no copy, nor what killed processes have left of theirs")
    func leavesNoCopy() throws {
        try tamper(["CREATE TABLE older (id INTEGER)"])
        for ending in ["", "-journal"] {
            let left = "\(folder)/keychain.db.v5.815000000.snapshot.4711.unfinished\(ending)"
            try AtomicFile.replace(left, with: Array("half".utf8).span)
        }
        for _ in 0..<2 { #expect(throws: Refusal.self) { _ = try TestEngine(in: directory) } }
        #expect(try FolderEntries.names(in: folder).allSatisfy { !$0.contains("snapshot") })
    }

    @Test("A store with a damaged page is left alone, and the refusal says that it is an older one")
    func badPage() throws {
        let path = "\(folder)/keychain.db"
        do {
            let database = try Database(path: path, sharing: .shared)
            let root = try #require(try database.integer("SELECT rootpage FROM sqlite_schema WHERE name = 'genp'", ""))
            let size = try #require(try database.integer("PRAGMA page_size", ""))
            _ = try database.checkpoint(by: .never)
            let file = try FileDescriptor.open(path, O_RDWR)
            // An inner page has the number of its last child in these bytes (https://www.sqlite.org/fileformat2.html,
            // 1.6).
            let last = try file.read(at: UInt64((root - 1) * size + 8), count: 4).reduce(0) { $0 << 8 | Int64($1) }
            let damage = [UInt8](repeating: 0x55, count: Int(size))
            try file.write(damage.span, at: UInt64((last - 1) * size))
        }
        let refusal = refusal { _ = try TestEngine(in: directory) }
        #expect(refusal?.rule == .damaged && refusal?.problem.contains("older version") == true)
        #expect(try FolderEntries.names(in: folder).allSatisfy { !$0.contains("snapshot") })
    }

    @Test("A disk that is full in the middle is named as the cause")
    func full() throws {
        let enclave = try SoftwareEnclave(vault: "\(folder)/vault", createIfMissing: false)
        let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
        let pages = try database.integer("PRAGMA page_count", "") ?? 0
        try database.execute("PRAGMA max_page_count = \(pages + 1)", "")
        let digester = try AttributeDigester(enclave.indexKey())
        let refusal = refusal { try ColumnMigration(database: database, digester: digester).run() }
        #expect(refusal?.status == .diskFull)
        #expect(!database.isInTransaction)
    }

    @Test("What fails in the middle leaves the store as it was")
    func failed() throws {
        try tamper(["CREATE TABLE older (id INTEGER)"])
        #expect(throws: Refusal.self) { _ = try TestEngine(in: directory) }
        let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
        #expect(try database.integer("PRAGMA user_version", "") == 5)
        #expect(try database.integer("SELECT count(cusi) + count(*) FROM genp", "") == 18)
    }
}
