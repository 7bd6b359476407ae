import KeychainBackup
import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

private func refusal(_ body: () throws(Refusal) -> Void) -> Refusal? {
    do throws(Refusal) { try body() } catch { return error }
    return nil
}

@Suite("The format of a backup")
struct BackupFileTests {
    private static func secret(_ text: String) -> SecretBytes { SecretBytes(copying: Array(text.utf8).span) }

    private static func header(of keys: BackupKeys, _ passphrase: String = "correct horse") throws -> BackupHeader {
        let code = secret("0123456789abcdef")
        return try BackupHeader(
            [
                BackupSlot(.passphrase, secret(passphrase), cost: .least, holding: keys),
                BackupSlot(.recoveryCode, code, cost: .least, holding: keys),
            ], of: keys)
    }

    private static func list(_ value: String) throws -> AttributeList {
        let buffer = SecretBuffer()
        buffer.append(.accessible, .string("ak"))
        buffer.append(.account, .string("someone"))
        buffer.append(.valueData, .data(Array(value.utf8)))
        return try AttributeList(parsing: buffer.finish())
    }

    private static func part(_ values: [String]) throws -> SecretBuffer {
        let part = SecretBuffer()
        for value in values {
            let uuid = [UInt8](repeating: 7, count: 16)
            BackupRecord(itemClass: .genericPassword, uuid: uuid, list: try list(value)).append(to: part)
        }
        return part
    }

    private static func values(in content: SecretBytes) throws(BackupProblem) -> [AttributeValue?] {
        var values: [AttributeValue?] = []
        try BackupEntry.read(content, "part 1", hasShelves: false) { entry in
            if case .item(let record) = entry { values.append(record.list[.valueData]) }
        }
        return values
    }

    @Test("passphrase and recovery code both open what was sealed, and give the items as they were")
    func opens() throws {
        let keys = BackupKeys()
        let header = try BackupHeader(decoding: Self.header(of: keys).bytes)
        let place = BackupBox.Place.part(0)
        let box = try BackupBox(place, of: header).seal(Self.part(["one", ""]), under: keys.key(of: place))
        for (kind, credential) in [(BackupSlot.Kind.passphrase, "correct horse"), (.recoveryCode, "0123456789abcdef")] {
            let opened = try header.open(kind, Self.secret(credential))
            let content = try BackupBox(place, of: header).open(box, under: opened.key(of: place))
            #expect(try Self.values(in: content) == [.data(Array("one".utf8)), .data([])])
        }
    }

    @Test("another passphrase opens nothing, and says that it is the passphrase")
    func wrongPassphrase() throws {
        let header = try Self.header(of: BackupKeys())
        #expect(throws: BackupProblem.wrongCredential) { try header.open(.passphrase, Self.secret("battery")) }
        #expect(Refusal(.wrongCredential).rule == .wrongBackupCredential)
    }

    @Test("a header of which any byte is another opens nothing")
    func alteredHeader() throws {
        let bytes = try Self.header(of: BackupKeys()).bytes
        // The recovery code's slot is opened: a passphrase would make each try cost its work.
        for index in bytes.indices {
            var altered = bytes
            altered[index] ^= 1
            #expect(throws: (any Error).self, "byte \(index)") {
                try BackupHeader(decoding: altered).open(.recoveryCode, Self.secret("0123456789abcdef"))
            }
        }
        for count in bytes.indices {
            #expect(throws: BackupProblem.notABackup) { try BackupHeader(decoding: Array(bytes.prefix(count))) }
        }
    }

    @Test("a passphrase that would cost a guesser too little, or the reader too much, is not tried")
    func bounds() throws {
        let bytes = try Self.header(of: BackupKeys()).bytes
        let place = BackupFraming.headerStart + BackupKeys.saltBytes + 1 + 3
        for memory: UInt32 in [0, 8, 63 << 10, (512 << 10) + 1, .max] {
            var altered = bytes
            for byte in 0..<4 { altered[place + byte] = UInt8(truncatingIfNeeded: memory >> (8 * byte)) }
            #expect(throws: BackupProblem.cost, "\(memory) KiB") { try BackupHeader(decoding: altered) }
        }
        for passes: UInt8 in [0, 1, 9] {
            var altered = bytes
            altered[place + 4] = passes
            #expect(throws: BackupProblem.cost, "\(passes) passes") { try BackupHeader(decoding: altered) }
        }
    }

    @Test("a header with more passphrases than two is not tried")
    func passphrases() throws {
        let keys = BackupKeys()
        let slot = try BackupSlot(.passphrase, Self.secret("correct horse"), cost: .least, holding: keys)
        let two = try BackupHeader([slot, slot], of: keys)
        #expect(try BackupHeader(decoding: two.bytes) == two)
        let three = try BackupHeader([slot, slot, slot], of: keys)
        #expect(throws: BackupProblem.cost) { try BackupHeader(decoding: three.bytes) }
    }

    @Test("a part opens in its own place of its own file alone")
    func swappedParts() throws {
        let keys = BackupKeys()
        let header = try Self.header(of: keys)
        let place = BackupBox.Place.part(0)
        let box = try BackupBox(place, of: header).seal(Self.part(["one"]), under: keys.key(of: place))
        for other in [BackupBox.Place.part(1), .manifest] {
            #expect(throws: BackupProblem.self) {
                try BackupBox(other, of: header).open(box, under: keys.key(of: other))
            }
        }
        let second = try Self.header(of: keys)
        #expect(throws: BackupProblem.damaged("part 1")) {
            try BackupBox(place, of: second).open(box, under: keys.key(of: place))
        }
        #expect(throws: BackupProblem.damaged("part 1")) {
            try BackupBox(place, of: header).open(Array(box.dropLast()), under: keys.key(of: place))
        }
    }

    @Test("the manifest finds a part that is missing, added or another")
    func manifest() throws {
        var builder = BackupManifest.Builder()
        try builder.add([1, 2, 3])
        try builder.add([4])
        builder.items = 7
        let buffer = SecretBuffer()
        builder.manifest(created: 1_000_000_000).append(to: buffer)
        let manifest = try BackupManifest(decoding: buffer.copy())
        #expect(manifest.parts == 2 && manifest.items == 7 && manifest.created == 1_000_000_000)
        try manifest.check([1, 2, 3], isPart: 0)
        try manifest.check([4], isPart: 1)
        #expect(throws: BackupProblem.damaged("part 1")) { try manifest.check([4], isPart: 0) }
        #expect(throws: BackupProblem.damaged("part 3")) { try manifest.check([4], isPart: 2) }
        let content = buffer.copy()
        for count in 0..<content.count {
            let cut = content.withSpan { SecretBytes(copying: $0.extracting(first: count)) }
            #expect(throws: BackupProblem.damaged("its manifest")) { try BackupManifest(decoding: cut) }
        }
    }

    @Test("records that are cut or longer than they say are damage")
    func records() throws {
        let content = try Self.part(["one", "two"]).finish()
        #expect(try Self.values(in: content).count == 2)
        for count in 1..<content.count {
            let cut = content.withSpan { SecretBytes(copying: $0.extracting(first: count)) }
            guard count != content.count / 2 else { continue }
            #expect(throws: BackupProblem.damaged("part 1"), "\(count) bytes") { try Self.values(in: cut) }
        }
    }

    @Test("a later version is refused as such, and any other file as no backup")
    func versions() throws {
        var start = Array(try Self.header(of: BackupKeys()).bytes.prefix(BackupFraming.headerStart))
        #expect(try BackupFraming.headerLength(start) != nil)
        start[4] = UInt8(BackupFraming.version) + 1
        #expect(refusal { () throws(Refusal) in _ = try BackupFraming.headerLength(start) }?.rule == .newerBackup)
        #expect(try BackupFraming.headerLength(Array("SQLite f".utf8)) == nil)
        #expect(BackupFraming.frame([1, 0xFF, 0xFF, 0xFF, 0x7F]) == nil)
        #expect(BackupFraming.frame(BackupFraming.head(.part, 100))?.length == 100)
    }
}
