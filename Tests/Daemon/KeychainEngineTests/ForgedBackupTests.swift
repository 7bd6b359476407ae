import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainBackup
@testable import KeychainEngine

/// Backups that somebody has made who knows their passphrase, and not by the command.
@Suite("Forged backups") struct ForgedBackupTests {
    private let directory: TemporaryDirectory
    private let engine: TestEngine

    init() throws {
        directory = try TemporaryDirectory()
        engine = try TestEngine(in: directory)
    }

    private static func record(
        _ account: String, _ value: [UInt8], modified: Double = 1
    ) throws -> BackupRecord {
        let buffer = SecretBuffer()
        let attributes: [(AttributeID, AttributeValue)] = [
            (.accessible, .string("ak")), (.accessGroup, .string("test")), (.creationDate, .date(modified)),
            (.modificationDate, .date(modified)), (.account, .string(account)), (.valueData, .data(value)),
        ]
        for (id, value) in attributes { buffer.append(id, value) }
        let list = try AttributeList(parsing: buffer.finish())
        return BackupRecord(itemClass: .genericPassword, uuid: Randomness.bytes(16), list: list)
    }

    /// A backup whose parts have these records.
    private static func backup(_ parts: [[BackupRecord]]) throws -> TestBackup {
        try .forged(parts.map { records in { content, _, _ in for record in records { record.append(to: content) } } })
    }

    @Test("A drill does not tell a right guess at a value from a wrong one; a restore, which asks, does")
    func guesses() throws {
        _ = try engine.restoreAll(try Self.backup([[try Self.record("a", Array("1234".utf8))]]))
        let guesses = try Self.backup([try ["1233", "1234"].map { try Self.record("a", Array($0.utf8)) }])
        #expect(try engine.drill(guesses, .passphrase).map(\.outcome) == [.same, .same])
        #expect(try engine.restoreAll(guesses).map(\.outcome) == [.kept, .same])
        #expect(try engine.values() == ["a": "1234"])
    }

    @Test("A part has 262,144 bytes or one record, and 4,096 records, so that what becomes of them fits an answer")
    func sizes() throws {
        let small = BackupRecord(itemClass: .genericPassword, uuid: Randomness.bytes(16), list: .empty)
        let large = try Self.record("large", [UInt8](repeating: 1, count: 300_000))
        for records in [[BackupRecord](repeating: small, count: 4097), [large, small], [small, large]] {
            let refused = refusal { _ = try engine.drill(try Self.backup([records]), .passphrase) }
            #expect(refused?.rule == .damagedBackup)
        }
        let most = try Self.backup([[BackupRecord](repeating: small, count: 4096), [large]])
        let items = try engine.drill(most, .passphrase)
        #expect(items.map(\.outcome) == [RestoredItem.Outcome](repeating: .refused, count: 4096) + [.added])
        let answer = SecretBuffer()
        BackupReply.taken(Array(items.dropLast())).append(to: answer)
        #expect(answer.count <= WireLimits.responseBody)
    }

    @Test("Of a file that changes after it was looked at, the other part is refused, and that is said")
    func changed() throws {
        let backup = try Self.backup([[try Self.record("a", [1])], [try Self.record("b", [2])]])
        let contents = try engine.open(backup)
        _ = try engine.take(backup, contents.ticket, applies: false)
        var changed = backup
        changed.parts[1] = try Self.backup([[], [try Self.record("c", [3])]]).parts[1]
        let refused = refusal { _ = try engine.take(changed, contents.ticket, applies: true) }
        #expect(refused?.rule == .damagedBackup && refused?.problem.contains("was changed while") == true)
        #expect(try engine.values().keys.sorted() == ["a"])
    }
}
