import EnclaveWire
import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem

@testable import KeychainBackup
@testable import KeychainEngine

/// A backup as the command puts it into a file, and what was said about it.
struct TestBackup {
    var header: [UInt8] = []
    var parts: [[UInt8]] = []
    var manifest: [UInt8] = []
    var items: UInt64 = 0
    var staying: [StayingItem] = []
}

extension TestBackup {
    /// Writes the content of a part.
    typealias Part = (SecretBuffer, BackupKeys, BackupHeader) throws -> Void

    /// A backup as somebody can make it who knows its passphrase.
    static func forged(_ parts: [Part], hasShelves: Bool = false) throws -> TestBackup {
        let (keys, text) = (BackupKeys(), TestSecret.passphrase.text)
        let slot = try BackupSlot(
            .passphrase, SecretBytes(copying: Array(text.utf8).span), cost: .least, holding: keys)
        let header = try BackupHeader([slot], of: keys, hasShelves: hasShelves)
        var (backup, builder) = (TestBackup(), BackupManifest.Builder())
        for (index, write) in parts.enumerated() {
            let content = SecretBuffer()
            try write(content, keys, header)
            let place = BackupBox.Place.part(UInt32(index))
            backup.parts.append(try BackupBox(place, of: header).seal(content, under: try keys.key(of: place)))
            try builder.add(backup.parts[index])
        }
        let content = SecretBuffer()
        builder.manifest(created: 0).append(to: content)
        backup.header = header.bytes
        backup.manifest = try BackupBox(.manifest, of: header).seal(content, under: try keys.key(of: .manifest))
        return backup
    }

    /// A backup with a shelf of somebody's own keys.
    static func forged(
        _ record: BackupShelf, _ pair: PrivateKey, id: ShelfID? = nil, group: String = "test",
        accessibility: Accessibility = .whenUnlocked, publicKey: [UInt8]? = nil
    ) throws -> TestBackup {
        func shelf(_ box: [UInt8]) throws -> Shelf {
            try Shelf(
                id: id ?? record.shelf.id,
                key: SealedKey(
                    backend: .software, origin: .madeInside, keyType: record.shelf.key.keyType, bits: Shelf.bits,
                    binding: KeyBinding(group: group, accessibility: accessibility, control: 0),
                    publicKey: publicKey ?? pair.publicKey.external(), sealed: box))
        }
        let part = SecretBuffer()
        part.append(Randomness.bytes(32).span)
        try pair.external().withSpan { part.append($0) }
        let privatePart = part.finish()
        return try TestBackup.forged(
            [
                { content, keys, header in
                    let box = try ShelfBox(of: try shelf([]), in: header.proof).seal(privatePart, under: keys)
                    BackupShelf(try shelf(box), name: record.name, made: record.made, isOfOther: record.isOfOther)
                        .append(to: content)
                }
            ], hasShelves: true)
    }

    /// The shelves in it with their private parts, for who knows the passphrase.
    func shelves() throws -> [(record: BackupShelf, privatePart: SecretBytes)] {
        let header = try BackupHeader(decoding: header)
        let keys = try header.open(.passphrase, SecretBytes(copying: Array(TestSecret.passphrase.text.utf8).span))
        var found: [BackupShelf] = []
        for (index, box) in parts.enumerated() {
            let place = BackupBox.Place.part(UInt32(index))
            let content = try BackupBox(place, of: header).open(box, under: try keys.key(of: place))
            try BackupEntry.read(content, "part", hasShelves: header.hasShelves) { entry in
                if case .shelf(let shelf) = entry { found.append(shelf) }
            }
        }
        return try found.map { ($0, try ShelfBox(of: $0.shelf, in: header.proof).open(under: keys)) }
    }
}

/// A credential of a backup in these tests.
struct TestSecret {
    let kind: BackupCredential
    let text: String

    static let passphrase = TestSecret(kind: .passphrase, text: "correct horse battery")
    static func code(_ text: String) -> TestSecret { TestSecret(kind: .recoveryCode, text: text) }
}

extension TestEngine {
    /// The keychain's own command, of the keychain's user.
    static let command = CallerIdentity(
        user: CurrentProcess.user, process: 3, program: "/usr/bin/security", groups: ["program:/usr/bin/security"],
        mayInspectAllGroups: true)

    func ask(
        _ request: BackupRequest, _ texts: [String] = [], from caller: CallerIdentity = command
    ) throws(Refusal) -> BackupReply {
        let writer = ResponseWriter()
        let files = texts.compactMap { try? PasscodeFile.make(SecretBytes(copying: Array($0.utf8).span)) }
        engine.device(.backup(request), passcodes: files, from: caller, id: 1, by: .never, into: writer)
        let answer = writer.complete()
        guard answer.status == 0 else { throw Refusal(decoding: answer.body, status: answer.status) }
        var reader = WireReader(answer.body)
        _ = try reader.notice()
        return try BackupReply(to: request, from: &reader)
    }

    func begin(
        _ password: String = "", by kind: CredentialKind = .passcode, passphrase: String = TestSecret.passphrase.text,
        from caller: CallerIdentity = command
    ) throws(Refusal) -> BackupBeginning {
        guard case .begun(let beginning) = try ask(.begin(by: kind), [password, passphrase], from: caller) else {
            throw .malformed("the reply")
        }
        return beginning
    }

    func next(_ ticket: [UInt8]) throws(Refusal) -> BackupPiece {
        guard case .piece(let piece) = try ask(.next(ticket: ticket)) else { throw .malformed("the reply") }
        return piece
    }

    /// Makes a whole backup.
    func backUp(
        _ password: String = "", by kind: CredentialKind = .passcode, passphrase: String = TestSecret.passphrase.text
    ) throws(Refusal) -> TestBackup {
        let beginning = try begin(password, by: kind, passphrase: passphrase)
        var backup = TestBackup()
        backup.header = beginning.header
        while true {
            let piece = try next(beginning.ticket)
            backup.staying += piece.staying
            guard piece.kind == .part else {
                (backup.manifest, backup.items) = (piece.box, piece.items)
                _ = try ask(.end(ticket: beginning.ticket, isWritten: true))
                return backup
            }
            backup.parts.append(piece.box)
        }
    }

    func open(
        _ backup: TestBackup, _ secret: TestSecret = .passphrase, _ purpose: BackupOpening.Purpose = .restore,
        password: String = ""
    ) throws(Refusal) -> BackupContents {
        let opening = BackupOpening(
            purpose, by: .passcode, secret.kind, header: backup.header, manifest: backup.manifest)
        guard case .opened(let contents) = try ask(.open(opening), [password, secret.text]) else {
            throw .malformed("the reply")
        }
        return contents
    }

    func take(
        _ backup: TestBackup, _ ticket: [UInt8], applies: Bool
    ) throws(Refusal) -> [RestoredItem] {
        var items: [RestoredItem] = []
        for (index, box) in backup.parts.enumerated() {
            let request = BackupRequest.take(ticket: ticket, applies: applies, index: UInt32(index), box: box)
            guard case .taken(let taken) = try ask(request) else { throw .malformed("the reply") }
            items += taken
        }
        return items
    }

    /// Looks at all of a backup, and takes it.
    func restoreAll(
        _ backup: TestBackup, _ secret: TestSecret = .passphrase, password: String = ""
    ) throws(Refusal) -> [RestoredItem] {
        let contents = try open(backup, secret, password: password)
        let dry = try take(backup, contents.ticket, applies: false)
        let items = try take(backup, contents.ticket, applies: true)
        _ = try ask(.end(ticket: contents.ticket, isWritten: false))
        guard dry.map(\.outcome) == items.map(\.outcome) else { throw .malformed("what was foretold") }
        return items
    }

    /// Looks at all of a backup without taking anything.
    func drill(_ backup: TestBackup, _ secret: TestSecret) throws(Refusal) -> [RestoredItem] {
        let contents = try open(backup, secret, .drill)
        return try take(backup, contents.ticket, applies: false)
    }

    /// A recovery code, made with the password.
    func makeRecoveryCode(_ password: String) throws -> String {
        let room = try PasscodeFile.makeRoom(RecoveryCodeFormat.room)
        let writer = ResponseWriter()
        let files = [try PasscodeFile.make(SecretBytes(copying: Array(password.utf8).span)), room]
        engine.device(
            .addSlot(.recovery, by: .passcode), passcodes: files, from: Self.command, id: 1, by: .never, into: writer)
        guard writer.complete().status == 0 else { throw Refusal.malformed("the reply") }
        let bytes = try PasscodeFile.read(room, limit: 64, deadline: .after(milliseconds: 1000))
        return bytes.withSpan { String(decoding: $0.array(0, $0.count).prefix { $0 != 0 }, as: UTF8.self) }
    }
}
