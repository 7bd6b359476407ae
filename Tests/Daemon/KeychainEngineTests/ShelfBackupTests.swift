import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainBackup
@testable import KeychainEngine
@testable import KeychainStore

/// Shelves in backups: the files that they wrap open where they are restored.
@Suite("Shelves in backups") struct ShelfBackupTests {
    private let directories: [TemporaryDirectory]
    private let engine: TestEngine
    /// The keychain of another machine.
    private let other: TestEngine
    private let file = FileID()

    init() throws {
        directories = [try TemporaryDirectory(), try TemporaryDirectory()]
        engine = try TestEngine(in: directories[0])
        other = try TestEngine(in: directories[1])
    }

    private func place(
        _ protection: FileProtection = .complete, class index: Int = 0, control: UInt64 = 0, name: String = ""
    ) -> ShelfPlace {
        let binding = KeyBinding(group: "test", accessibility: protection.accessibilities[index], control: control)
        return ShelfPlace(protection, binding, name: name)
    }

    private func make(_ place: ShelfPlace, in engine: TestEngine) throws(Refusal) -> MadeFileKey {
        guard case .file(.made(let made)) = try engine.key(.file(.make(file, place))) else {
            throw .malformed("the reply")
        }
        return made
    }

    private func opens(
        _ made: MadeFileKey, _ protection: FileProtection = .complete, in engine: TestEngine
    ) throws(Refusal) -> Bool {
        let claim = FileKeyClaim(file: file, protection: protection, slot: made.slot)
        guard case .file(.key(let key)) = try engine.key(.file(.open(claim))) else { throw .malformed("the reply") }
        return key.isEqual(to: made.key)
    }

    @Test("Files of every class open on the other machine, and a second restore finds the shelves there")
    func travels() throws {
        let made = try FileProtection.allCases.map { (try make(place($0, name: "letters"), in: engine), $0) }
        try engine.add("a", "1")
        let backup = try engine.backUp()
        #expect(backup.items == 5 && backup.header[4] == 2)
        let restored = try other.restoreAll(backup)
        #expect(restored.map(\.outcome) == [RestoredItem.Outcome](repeating: .added, count: 5))
        #expect(restored.filter { $0.recordClass == .shelf && $0.name == "letters" }.count == 4)
        for (made, protection) in made { #expect(try opens(made, protection, in: other)) }
        #expect(try other.restoreAll(backup).allSatisfy { $0.outcome == .same })
        #expect(try engine.drill(backup, .passphrase).allSatisfy { $0.outcome == .same })
        // New files go to the shelf that was restored, and open on both.
        let later = try make(place(name: "letters"), in: other)
        #expect(later.slot.shelf == made[0].0.slot.shelf)
        #expect(try opens(later, in: engine))
    }

    @Test("More shelves than one looks at together travel, page by page")
    func many() throws {
        let made = try (0..<70).map { try make(place(name: "\($0)"), in: engine) }
        let backup = try engine.backUp()
        guard case .survey(let survey) = try engine.ask(.survey(from: .shelves(after: .zero))) else {
            throw Refusal.malformed("it")
        }
        #expect(backup.items == 70 && survey.travelling == 70 && survey.shelves == 70)
        _ = try other.restoreAll(backup)
        for made in made { #expect(try opens(made, in: other)) }
    }

    @Test("What stays is named with its reason, before and after; a backup without shelves is of the older version")
    func stays() throws {
        #expect(try engine.backUp().header[4] == 1)
        try engine.device(.setPasscode, "right")
        for index in 1...2 { _ = try make(place(class: index, name: "here"), in: engine) }
        let damaged = try make(place(name: "damaged"), in: engine).slot.shelf
        try engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed)) WHERE hex(id) = upper('\(damaged.text)')")
        let anchored = CallerIdentity(user: 0, process: 2, program: "firm", isAnchored: true, groups: ["test"])
        let guarded = KeyRequest.file(.make(file, place(control: 1 << 48, name: "firm")))
        _ = try engine.key(guarded, from: anchored)
        _ = try make(place(name: "travels"), in: engine)
        let backup = try engine.backUp("right")
        guard case .survey(let survey) = try engine.ask(.survey(from: .shelves(after: .zero))) else {
            throw Refusal.malformed("it")
        }
        for staying in [backup.staying, survey.staying] {
            let found = Set(staying.map { "\($0.recordClass.name) \($0.group) \($0.name) \($0.reason.rawValue)" })
            #expect(found == ["shelf test here 1", "shelf  \(damaged.text) 5", "shelf test firm 3"])
        }
        #expect(backup.items == 1 && survey.travelling == 1 && survey.next == nil)
    }

    @Test("A failure that is not the record's does not call it damaged")
    func failures() throws {
        func opened(_ failure: Refusal) throws(Refusal) -> Int? {
            try unlessDamaged { () throws(Refusal) in throw failure }
        }
        #expect(refusal { _ = try opened(.cryptography(.libraryFailure)) }?.rule == .internalError)
        #expect(refusal { _ = try opened(.noShelf) }?.rule == .noShelf)
        let made = try make(place(name: "mine"), in: engine)
        try engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed))")
        #expect(refusal { _ = try opens(made, in: engine) }?.status == .decode)
        #expect(try engine.engine.shelves.records(after: nil).map { $0.shelf == nil } == [true])
    }

    @Test("A shelf that is here keeps its keys, whatever a file says that has its id")
    func keepsKeys() throws {
        let made = try make(place(name: "mine"), in: engine)
        let pair = try PrivateKey.generate(.x25519, bits: 256)
        let forged = try TestBackup.forged(try #require(try engine.backUp().shelves().first?.record), pair)
        #expect(try engine.drill(forged, .passphrase).map(\.outcome) == [.kept])
        #expect(try engine.restoreAll(forged).map(\.outcome) == [.kept])
        #expect(try opens(made, in: engine))
    }

    @Test("A drill does not tell whether a file has the wrap key of a shelf that is here")
    func guesses() throws {
        _ = try make(place(name: "mine"), in: engine)
        let (record, part) = try #require(try engine.backUp().shelves().first)
        let pair = try part.withSpan { (part) throws(CryptoError) in
            try PrivateKey(external: part.extracting(32...), type: .x25519)
        }
        // The forged one has the same pair, and a wrap key of its own.
        let outcomes = try [engine.backUp(), TestBackup.forged(record, pair)].map { file in
            (try engine.drill(file, .passphrase) + engine.restoreAll(file)).map(\.outcome)
        }
        #expect(outcomes == [[.same, .same], [.same, .same]])
    }

    @Test("Where a shelf takes new files, a restored one does not, however old it says it is")
    func takesNoFiles() throws {
        let theirs = try make(place(), in: engine)
        let mine = try make(place(), in: other)
        let (record, _) = try #require(try engine.backUp().shelves().first)
        let pair = try PrivateKey.generate(.x25519, bits: 256)
        let older = BackupShelf(record.shelf, name: record.name, made: .min)
        for backup in [try engine.backUp(), try TestBackup.forged(older, pair, id: ShelfID())] {
            #expect(try other.restoreAll(backup).map(\.outcome) == [.added])
            #expect(try make(place(), in: other).slot.shelf == mine.slot.shelf)
        }
        #expect(try opens(theirs, in: other) && opens(mine, in: other))
    }

    @Test("A shelf that came from another machine of a circle takes no new files where a backup brings it, either")
    func ofOthers() throws {
        _ = try make(place(), in: engine)
        let (record, _) = try #require(try engine.backUp().shelves().first)
        let pair = try PrivateKey.generate(.x25519, bits: 256)
        for isOfOther in [true, false] {
            let (id, name) = (ShelfID(), "\(isOfOther)")
            let marked = BackupShelf(record.shelf, name: name, made: record.made, isOfOther: isOfOther)
            #expect(try other.restoreAll(try TestBackup.forged(marked, pair, id: id)).map(\.outcome) == [.added])
            let mine = try make(place(name: name), in: other)
            #expect((mine.slot.shelf == id) == !isOfOther)
        }
        let kept = try other.backUp().shelves().filter(\.record.isOfOther)
        #expect(kept.map(\.record.name) == ["true"])
    }

    @Test("A row that is no shelf's hides no other from lists, backups and the verification")
    func spoiledRows() throws {
        let made = try (0..<2).map { try make(place(name: "\($0)"), in: engine) }
        for bytes in ["x'00'", "x'80'", "zeroblob(40)"] {
            try engine.tamper("INSERT INTO shelf SELECT \(bytes), place, ownr, 0, sealed FROM shelf LIMIT 1")
        }
        #expect(try engine.engine.shelves.records(after: nil).count == 2)
        let backup = try engine.backUp()
        _ = try other.restoreAll(backup)
        for (number, made) in made.enumerated() {
            #expect(try opens(made, in: other))
            #expect(try make(place(name: "\(number)"), in: engine).slot.shelf == made.slot.shelf)
        }
    }

    @Test("A shelf of nobody's group, without an id or with foreign keys is refused, and the rest is taken")
    func forged() throws {
        let made = try make(place(name: "mine"), in: engine)
        let (record, _) = try #require(try engine.backUp().shelves().first)
        let (pair, foreign) = (try PrivateKey.generate(.x25519, bits: 256), try PrivateKey.generate(.x25519, bits: 256))
        let forged = [
            try TestBackup.forged(record, pair, group: ""), try TestBackup.forged(record, pair, group: AccessGroup.any),
            try TestBackup.forged(record, pair, group: AccessGroup.token),
            try TestBackup.forged(record, pair, id: .zero),
            try TestBackup.forged(record, pair, publicKey: foreign.publicKey.external()),
            try TestBackup.forged(record, pair, accessibility: .whenUnlockedThisDeviceOnly),
        ]
        for file in forged { #expect(try other.restoreAll(file).map(\.outcome) == [.refused]) }
        let older = try TestBackup.forged([{ content, _, _ in record.append(to: content) }])
        #expect(refusal { _ = try other.drill(older, .passphrase) }?.rule == .damagedBackup)
        #expect(refusal { _ = try opens(made, in: other) }?.rule == .noShelf)
    }
}
