import KeychainModel
import KeychainWire
import LinuxSystem
import SecureEnclave
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A store of version 6, in which tombstones have piled up.
@Suite("Removing the tombstones of keychains of one machine")
struct TombstoneMigrationTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/keychain" }

    init() throws {
        directory = try TemporaryDirectory()
        try PrivateDirectory.ensure(directory.path + "/keychain")
        try StoreFixtures.unpack("version6", into: directory.path + "/keychain")
    }

    private func count(_ what: String) throws -> Int64? {
        try Database(path: "\(folder)/keychain.db", sharing: .shared).integer("SELECT \(what)", "be counted")
    }

    private func tamper(_ statement: String) throws {
        try Database(path: "\(folder)/keychain.db", sharing: .shared).execute(statement, "be damaged")
    }

    @Test("They go, everything else stays, and the store is copied before", arguments: [true, false])
    func removed(isAlone: Bool) throws {
        #expect(try count("count(*) FROM genp WHERE tomb = 1") == 6)
        let items = try count("count(*) FROM genp WHERE tomb = 0")
        let engine = try TestEngine(in: directory, exclusive: isAlone)
        let report = try engine.verify()
        #expect(report.damage.isEmpty && report.file.isEmpty && report.checked == 29)
        #expect(try engine.wrongCounters() == 0)
        guard !isAlone else { return }
        #expect(try count("count(*) FROM genp WHERE tomb = 1") == 0)
        #expect(try count("count(*) FROM cert WHERE tomb = 1") == 0)
        #expect(try count("count(*) FROM genp") == items)
        #expect(try count("user_version FROM pragma_user_version") == 8)
        let copies = try FolderEntries.names(in: folder).filter { $0.hasSuffix(".snapshot") }
        #expect(copies.count == 1 && copies[0].contains(".v6."))
    }

    @Test("An item that somebody has made a tombstone stays, hidden and reported")
    func forged() throws {
        try tamper("UPDATE genp SET tomb = 1 WHERE id = 1")
        let engine = try TestEngine(in: directory)
        #expect(try engine.verify().damage.map(\.row) == [1])
        #expect(try count("count(*) FROM genp WHERE tomb = 1") == 1)
    }

    @Test("What fails in the middle leaves the store as it was")
    func failed() throws {
        let enclave = try SoftwareEnclave(vault: "\(folder)/vault", createIfMissing: false)
        let database = try Database(path: "\(folder)/keychain.db", sharing: .shared)
        try database.execute("PRAGMA query_only = ON", "be read")
        let migration = TombstoneMigration(database: database, digester: try AttributeDigester(enclave.indexKey()))
        #expect(throws: Refusal.self) { try migration.run() }
        #expect(!database.isInTransaction)
        #expect(try count("count(*) FROM genp WHERE tomb = 1") == 6)
        #expect(try count("user_version FROM pragma_user_version") == 6)
    }

    @Test("A store is not brought up to date while a program that would mark nothing uses it")
    func alone() throws {
        let other = try FileLock("\(folder)/keychain.lock", .shared, deadline: .now)
        let store = try ItemStore(folder: folder, prefersExclusive: false)
        let refusal = refusal { try store.migrate(with: SecretBytes(count: 32), timeout: 50) }
        #expect(refusal?.problem.contains("other programs use it") == true)
        #expect(try count("user_version FROM pragma_user_version") == 6)
        withExtendedLifetime(other) {}
    }

    @Test("A store of the next version is left alone")
    func tooNew() throws {
        try tamper("PRAGMA user_version = \(Schema.version + 1)")
        #expect(refusal { _ = try TestEngine(in: directory) }?.problem.contains("newer release") == true)
        #expect(try count("count(*) FROM genp WHERE tomb = 1") == 6)
    }
}
