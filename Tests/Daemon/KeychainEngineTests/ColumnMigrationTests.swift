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

    /// What makes version 4 of it.
    private static let withoutCodes =
        ItemClass.stored.map { "ALTER TABLE \($0.code) DROP COLUMN code" } + ["PRAGMA user_version = 4"]

    private func search(_ query: [String: RawValue]) throws -> ItemRequest {
        var query = query
        query["r_Data"] = .boolean(true)
        query["m_Limit"] = .string("m_LimitAll")
        query["sync"] = .string("syna")
        return try EngineLane.lookup(query)
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
        #expect(report.damage.isEmpty && report.file.isEmpty && report.checked == 26 && report.locked == 0)
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
        #expect(report.damage.isEmpty && report.checked == 26)
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
        let refusal = refusal { try store.migrate(with: SecretBytes(count: 32), patience: 50) }
        #expect(refusal?.problem.contains("other programs use it") == true)
        withExtendedLifetime(other) {}
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
