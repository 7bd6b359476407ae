import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// The content of a backup, its authority, and damage.
@Suite("Backups") struct BackupTests {
    private let directories: [TemporaryDirectory]
    private let engine: TestEngine
    /// The keychain of another machine.
    private let other: TestEngine
    private static let password = "right"

    init() throws {
        directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        engine = try TestEngine(in: directories[0])
        other = try TestEngine(in: directories[1])
    }

    private static func caller(
        user: UInt32 = CurrentProcess.user, process: Int32 = 3, isCommand: Bool = true
    ) -> CallerIdentity {
        CallerIdentity(
            user: user, process: process, program: "/usr/bin/security", groups: ["program:/usr/bin/security"],
            mayInspectAllGroups: isCommand)
    }

    @Test("Everything that may leave is in it, and everything that stays is named with its reason")
    func content() throws {
        _ = try engine.device(.setPasscode, Self.password)
        try engine.add("plain", "1")
        try engine.add("first unlock", "2", more: ["pdmn": .string("ck")])
        try engine.add("here", "3", more: ["pdmn": .string("aku")])
        try engine.add("present", "4", more: ["accc": .control(.whenUnlocked, 1)])
        try engine.add("finger", "5", more: ["accc": .control(.whenUnlocked, 2)])
        try engine.addKey("sealed", try engine.makeKey())
        let backup = try engine.backUp(Self.password)
        #expect(backup.items == 3)
        #expect(Set(backup.staying.map(\.reason)) == [.thisDeviceOnly, .guarded, .sealedKey])
        guard case .survey(let survey) = try engine.ask(.survey(from: .start)) else { throw Refusal.malformed("it") }
        #expect(survey.travelling == 3 && survey.staying.map(\.reason) == [.thisDeviceOnly, .guarded])
        #expect(try outcomes(other.restoreAll(backup)) == [.added, .added, .refused])
        #expect(try other.values() == ["plain": "1", "first unlock": "2"])
        _ = try other.device(.setPasscode, "another")
        #expect(try outcomes(other.restoreAll(backup, password: "another")) == [.added, .same, .same])
        #expect(try engine.drill(backup, .passphrase).allSatisfy { $0.outcome == .same })
    }

    @Test("Items of every group and class come back in their groups, under their references")
    func groupsAndClasses() throws {
        for group in ["test", "TEAM.shared"] {
            let write = try Self.addition(group)
            let pending = PendingWrite(
                write, from: CallerIdentity(user: 0, process: 1, program: group, groups: [group]), id: 1, by: .never)
            engine.engine.write([pending])
            #expect(pending.writer.complete().status == 0)
        }
        let key = try PrivateKey.generate(.ecSECPrimeRandom, bits: 256).external().withSpan { $0.array(0, $0.count) }
        let kind: [String: RawValue] = ["kcls": .string("1"), "type": .string("73"), "bsiz": .number(256)]
        try engine.addKey("software", value: key, more: kind)
        let backup = try engine.backUp()
        let items = try other.restoreAll(backup)
        #expect(items.map(\.outcome) == [.added, .added, .added])
        #expect(Set(items.map(\.group)) == ["test", "TEAM.shared"])
        #expect(Set(items.map(\.recordClass)) == [.item(.internetPassword), .item(.key)])
        let count = "SELECT count(*) FROM inet a JOIN other.inet b ON a.uuid = b.uuid AND a.pdmn = b.pdmn"
        #expect(try Self.count(count, engine, other) == 2)
    }

    private static func addition(_ group: String) throws -> ItemRequest {
        var builder = ItemRequestBuilder(.add)
        try builder.set("class", .string("inet"))
        try builder.set("srvr", .string("host"))
        try builder.set("agrp", .string(group))
        try builder.set("v_Data", data: Array("1".utf8).span)
        return try builder.build()
    }

    private static func count(_ sql: String, _ first: TestEngine, _ second: TestEngine) throws -> Int64 {
        let database = try Database(path: "\(first.folder)/keychain.db", sharing: .shared)
        try database.execute("ATTACH '\(second.folder)/keychain.db' AS other", "be compared")
        return try database.integer(sql, "be counted") ?? -1
    }

    @Test("It is of the moment of its beginning, while the store is written to")
    func oneMoment() throws {
        _ = try engine.addTogether((0..<3000).map { "a\($0)" })
        let beginning = try engine.begin()
        try engine.add("later", "1")
        var (items, steps) = (0 as UInt64, 0)
        var piece = try engine.next(beginning.ticket)
        while piece.kind == .part {
            (items, steps) = (items + piece.items, steps + 1)
            try engine.add("between \(steps)", "1")
            piece = try engine.next(beginning.ticket)
        }
        #expect(items == 3000 && piece.items == 3000 && beginning.rows == 3000)
        #expect(refusal { _ = try engine.next(beginning.ticket) }?.rule == .noBackupUnderWay)
        #expect(try FolderEntries.names(in: engine.folder).allSatisfy { !$0.hasSuffix(".unfinished") })
    }

    @Test("Nobody else gets one, and with a password nobody without it; a wrong one is counted")
    func authority() throws {
        try engine.add("a", "1")
        let others = [Self.caller(user: 4711, isCommand: false), Self.caller(user: 4711)]
        for caller in others {
            #expect(refusal { _ = try engine.begin(from: caller) }?.rule == .backupNotGranted)
            #expect(refusal { _ = try engine.ask(.survey(from: .start), from: caller) }?.rule == .backupNotGranted)
        }
        _ = try engine.device(.setPasscode, Self.password)
        #expect(refusal { _ = try engine.begin() } != nil)
        #expect(refusal { _ = try engine.begin("wrong") }?.rule == .wrongPasscode)
        #expect(try engine.engine.news().status.failedAttempts == 1)
        #expect(refusal { _ = try engine.begin(Self.password, passphrase: "short") }?.rule == .wrongValue)
        #expect(refusal { _ = try engine.begin(Self.password, passphrase: "") }?.rule == .contradiction)
        _ = try engine.begin(Self.password)
        #expect(try engine.engine.news().status.failedAttempts == 0)
        _ = try engine.device(.lock)
        #expect(refusal { _ = try engine.begin(Self.password) }?.rule == .locked)
    }

    @Test("A ticket serves its own process, until the keychain is locked, its end, or its command has gone")
    func tickets() throws {
        _ = try engine.device(.setPasscode, Self.password)
        try engine.add("present", "4", more: ["accc": .control(.whenUnlocked, 1)])
        let stranger = Self.caller(process: 4)
        let first = try engine.begin(Self.password)
        let step = BackupRequest.next(ticket: first.ticket)
        if try stranger.digest() != TestEngine.command.digest() {
            #expect(refusal { _ = try engine.ask(step, from: stranger) }?.rule == .noBackupUnderWay)
        }
        _ = try engine.device(.lock)
        #expect(refusal { _ = try engine.ask(step) }?.rule == .locked)
        _ = try engine.device(.unlock, Self.password)
        #expect(refusal { _ = try engine.ask(step) }?.rule == .noBackupUnderWay)
        let second = try engine.begin(Self.password)
        #expect(engine.engine.backups.giveUpIdle() == [])
        let later = UInt64(Clock.monotonicNanoseconds) + 601_000_000_000
        #expect(engine.engine.backups.giveUpIdle(now: later).contains(second.ticket))
        #expect(refusal { _ = try engine.next(second.ticket) }?.rule == .noBackupUnderWay)
    }

    @Test("Of a file with any byte changed, or a box cut, missing, twice or of another file, nothing is taken")
    func damage() throws {
        _ = try engine.device(.setPasscode, Self.password)
        let code = TestSecret.code(try engine.makeRecoveryCode(Self.password))
        try engine.add("a", "1")
        let backup = try engine.backUp(code.text, by: .recoveryCode, passphrase: "")
        var damaged: [TestBackup] = []
        for part in [\TestBackup.header, \.manifest, \.parts[0]] {
            for index in backup[keyPath: part].indices {
                for bit in 0..<8 {
                    var changed = backup
                    changed[keyPath: part][index] ^= 1 << UInt8(bit)
                    damaged.append(changed)
                }
            }
            for count in backup[keyPath: part].indices {
                var changed = backup
                changed[keyPath: part].removeLast(backup[keyPath: part].count - count)
                damaged.append(changed)
            }
        }
        let second = try engine.backUp(code.text, by: .recoveryCode, passphrase: "")
        for part in [\TestBackup.header, \.manifest, \.parts[0]] {
            var changed = backup
            changed[keyPath: part] = second[keyPath: part]
            damaged.append(changed)
        }
        for (index, file) in damaged.enumerated() {
            let refused = refusal { _ = try other.drill(file, code) }
            let rules: [Refusal.Rule] = [
                .damagedBackup, .newerBackup, .noBackupSlot, .wrongBackupCredential, .malformedFrame,
            ]
            #expect(refused.map { rules.contains($0.rule) } == true, "\(index)")
        }
        #expect(try other.values().isEmpty)
        #expect(try other.drill(backup, code).map(\.outcome) == [.added])
    }

    @Test("Nothing is taken before every part was looked at, nor by what was opened to look only")
    func looksFirst() throws {
        for number in 0..<5 { try engine.add("a\(number)", String(repeating: "x", count: 700_000)) }
        let backup = try engine.backUp()
        try #require(backup.parts.count > 1)
        func take(_ ticket: [UInt8], _ applies: Bool, _ index: Int) throws {
            _ = try other.ask(
                .take(ticket: ticket, applies: applies, index: UInt32(index), box: backup.parts[index]))
        }
        let contents = try other.open(backup)
        #expect(refusal { try take(contents.ticket, true, 0) }?.rule == .notAllowedHere)
        for _ in backup.parts { try take(contents.ticket, false, 0) }
        #expect(refusal { try take(contents.ticket, true, 0) }?.rule == .notAllowedHere)
        let drill = try other.open(backup, .passphrase, .drill)
        for index in backup.parts.indices { try take(drill.ticket, false, index) }
        #expect(refusal { try take(drill.ticket, true, 0) }?.rule == .notAllowedHere)
        #expect(try other.values().isEmpty)
        for index in backup.parts.indices { try take(contents.ticket, false, index) }
        try take(contents.ticket, true, 0)
        // Ended here and done again, it takes what was missing.
        let again = try other.restoreAll(backup).map(\.outcome)
        #expect(again.count { $0 == .added } == 4 && again.count { $0 == .same } == 1)
    }

    @Test("To put items in takes the keychain's password, and a wrong one is counted")
    func restoreAsks() throws {
        try engine.add("a", "1")
        let backup = try engine.backUp()
        _ = try other.device(.setPasscode, "other")
        #expect(refusal { _ = try other.restoreAll(backup) } != nil)
        #expect(refusal { _ = try other.restoreAll(backup, password: "wrong") }?.rule == .wrongPasscode)
        #expect(try other.engine.news().status.failedAttempts == 1)
        let wrong = TestSecret(kind: .passphrase, text: "another horse")
        #expect(refusal { _ = try other.restoreAll(backup, wrong, password: "other") }?.rule == .wrongBackupCredential)
        #expect(try other.values().isEmpty)
        #expect(try other.restoreAll(backup, password: "other").map(\.outcome) == [.added])
    }
}

/// The outcomes of items, in their order.
private func outcomes(_ items: [RestoredItem]) -> [RestoredItem.Outcome] {
    items.map(\.outcome).sorted { $0.rawValue < $1.rawValue }
}
