import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A store of version 7, whose keychain belongs to a circle.
@Suite("Records that say which records their items were before")
struct RenameMigrationTests {
    private let directory: TemporaryDirectory
    private var folder: String { directory.path + "/keychain" }

    init() throws {
        directory = try TemporaryDirectory()
        try PrivateDirectory.ensure(directory.path + "/keychain")
        try StoreFixtures.unpack("version7", into: directory.path + "/keychain")
    }

    private func column(_ sql: String) throws -> [[UInt8]] {
        let statement = try Database(path: "\(folder)/keychain.db", sharing: .shared).prepare(sql, "be read")
        var found: [[UInt8]] = []
        while try statement.step() { found.append(statement.withBlob(0) { $0.array(0, $0.count) }) }
        return found
    }

    private static let records = "SELECT hex(pk) || hlc || dirty || coalesce(hex(origin), '') FROM syncrow ORDER BY pk"

    @Test("A store of a circle keeps its records, and is copied before")
    func broughtUpToDate() throws {
        let before = try column(Self.records)
        #expect(before.count == 18)
        let engine = try TestEngine(in: directory)
        let report = try engine.verify()
        #expect(report.damage.isEmpty && report.file.isEmpty)
        #expect(try column(Self.records) == before)
        #expect(try column("SELECT user_version FROM pragma_user_version") == [Array("8".utf8)])
        let copies = try FolderEntries.names(in: folder).filter { $0.hasSuffix(".snapshot") }
        #expect(copies.count == 1 && copies[0].contains(".v7."))
        // The history says of versions that they have lost, which none of these has.
        #expect(try column("SELECT count(*) || count(lost) FROM history") == [Array("30".utf8)])
    }

    /// Renames an item of the program that has made the store.
    private static func rename(_ account: String, in engine: TestEngine) throws {
        let caller = CallerIdentity(user: 0, process: 0, program: "test", groups: ["TEST.program"])
        var builder = ItemRequestBuilder(.update)
        let query = ["class": RawValue.string("genp"), "acct": .string(account), "sync": .boolean(true)]
        for (key, value) in query { try builder.set(key, value) }
        try builder.change("acct", .string("renamed from \(account)"))
        _ = try engine.perform(try builder.build(), from: caller)
    }

    @Test("An item that is renamed then says which record other machines know, and others say nothing")
    func renamed() throws {
        let engine = try TestEngine(in: directory)
        let known = try column("SELECT substr(origin, 1, 16) FROM syncrow WHERE origin IS NOT NULL")
        #expect(known.count == 1)
        for account in ["synchronised", "shared 0"] { try Self.rename(account, in: engine) }
        #expect(try column("SELECT pk FROM syncrow").count == 20)
        #expect(try column("SELECT previous FROM syncrow WHERE previous IS NOT NULL") == known)
    }
}
