import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Shelves whose records in the store somebody has spoiled. Their files open again when the shelf comes from where it
/// is whole: the id of a shelf that travels is that of its keys, so that no other takes its place.
@Suite("Damaged shelves that come again")
struct ShelfRepairTests {
    private let file = FileID()

    private func request(_ name: String, class index: Int = 0) -> KeyRequest {
        let accessibility = FileProtection.complete.accessibilities[index]
        let binding = KeyBinding(group: "test", accessibility: accessibility, control: 0)
        return .file(.make(file, ShelfPlace(.complete, binding, name: name)))
    }

    private func make(_ name: String = "", class index: Int = 0, in engine: TestEngine) throws -> MadeFileKey {
        guard case .file(.made(let made)) = try engine.key(request(name, class: index)) else {
            throw Refusal.malformed("the reply")
        }
        return made
    }

    private func opens(_ made: MadeFileKey, in engine: TestEngine) -> Bool {
        let claim = FileKeyClaim(file: file, protection: .complete, slot: made.slot)
        guard case .file(.key(let key))? = try? engine.key(.file(.open(claim))) else { return false }
        return key.isEqual(to: made.key)
    }

    private func spoil(_ made: MadeFileKey, in engine: TestEngine) throws {
        let id = made.slot.shelf.text
        try engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed)) WHERE hex(id) = upper('\(id)')")
        #expect(!opens(made, in: engine))
    }

    @Test("A backup puts a damaged shelf back, and its drill says so before")
    func backups() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        let made = try make("letters", in: engine)
        let backup = try engine.backUp()
        try spoil(made, in: engine)
        #expect(try engine.drill(backup, .passphrase).map(\.outcome) == [.added] && !opens(made, in: engine))
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.added] && opens(made, in: engine))
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.same])
        #expect(try engine.verify().damage.isEmpty)
    }

    @Test("A forged backup does not take a damaged shelf's identifier, and the true one still comes")
    func forgedBackups() throws {
        let directories = try (0..<2).map { _ in try TemporaryDirectory() }
        let engine = try TestEngine(in: directories[0])
        let made = try make("letters", in: engine)
        let backup = try engine.backUp()
        let (record, _) = try #require(try backup.shelves().first)
        let forged = try TestBackup.forged(record, try PrivateKey.generate(.x25519, bits: 256))
        // Where nothing is known of the identifier it may be that of an earlier release.
        #expect(try TestEngine(in: directories[1]).restoreAll(forged).map(\.outcome) == [.added])
        try spoil(made, in: engine)
        #expect(try engine.drill(forged, .passphrase).map(\.outcome) == [.refused])
        #expect(try engine.restoreAll(forged).map(\.outcome) == [.refused])
        #expect(try engine.restoreAll(backup).map(\.outcome) == [.added] && opens(made, in: engine))
    }

    @Test("A restored shelf of somebody else takes no new files of a place that had one, damaged before it or after")
    func foreignShelves() throws {
        let directories = try (0..<2).map { _ in try TemporaryDirectory() }
        let foreign = try TestEngine(in: directories[0])
        let theirs = try make(in: foreign)
        let backup = try foreign.backUp()
        for isDamagedBefore in [true, false] {
            let place = try TemporaryDirectory()
            let engine = try TestEngine(in: place)
            let mine = try make(in: engine)
            if isDamagedBefore { try spoil(mine, in: engine) }
            #expect(try engine.restoreAll(backup).map(\.outcome) == [.added] && opens(theirs, in: engine))
            if !isDamagedBefore { try spoil(mine, in: engine) }
            let next = try make(in: engine)
            #expect(![mine, theirs].map(\.slot.shelf).contains(next.slot.shelf) && opens(next, in: engine))
            #expect(try make(in: engine).slot.shelf == next.slot.shelf)
        }
    }

    @Test("Where the shelf of new files is damaged they get another one, and keep it")
    func newFiles() throws {
        let directory = try TemporaryDirectory()
        let engine = try TestEngine(in: directory)
        let made = try make(in: engine)
        try spoil(made, in: engine)
        let next = try make(in: engine)
        #expect(opens(next, in: engine) && next.slot.shelf != made.slot.shelf)
        #expect(try make(in: engine).slot.shelf == next.slot.shelf)
        #expect(try engine.engine.shelves.records(after: nil).count == 2)
    }

    @Test("A damaged shelf that another machine sends again is whole, and takes no new files any more")
    func versions() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first, circle.second)
        let made = try make(in: second.engine)
        try circle.exchange()
        let backup = try first.engine.backUp(ConsentingUser.passcode)
        try spoil(made, in: second.engine)
        try spoil(made, in: first.engine)
        // A shelf that comes from a backup is sent as a new version.
        _ = try first.engine.restoreAll(backup, password: ConsentingUser.passcode)
        try circle.exchange()
        #expect(opens(made, in: first.engine) && opens(made, in: second.engine))
        #expect(try make(in: second.engine).slot.shelf != made.slot.shelf)
        for machine in circle.machines { #expect(try machine.engine.verify().damage.isEmpty) }
    }

    @Test("A damaged shelf that was never sent is whole when another machine has it from a backup and sends it")
    func unsent() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first, circle.second)
        let made = try make("letters", in: second.engine)
        let backup = try second.engine.backUp(ConsentingUser.passcode)
        try spoil(made, in: second.engine)
        _ = try first.engine.restoreAll(backup, password: ConsentingUser.passcode)
        try circle.exchange()
        #expect(opens(made, in: first.engine) && opens(made, in: second.engine))
    }

    @Test("A machine with a damaged shelf takes it from another's snapshot, endorses that, and makes none before")
    func snapshots() throws {
        let circle = try SyncedMachines(snapshotAfter: 8)
        let (first, second) = (circle.first, circle.second)
        let made = try [first, second].map { try make(in: $0.engine) }
        try circle.exchange()
        for made in made { try spoil(made, in: second.engine) }
        for number in 0..<12 {
            try second.keychain.add("item \(number)", value: "\(number)")
            try second.push(circle.transport)
        }
        try circle.exchange(6)
        let ids = try [first.status.me, second.status.me]
        func beginning(_ id: Int) throws -> UInt64? {
            try circle.slots().map(\.slot).filter { $0.device == ids[id] }.map(\.seq).min()
        }
        #expect(try beginning(1) == 1 && second.status.unopened == 2)
        for number in 0..<12 {
            try first.keychain.add("other \(number)", value: "\(number)")
            try first.push(circle.transport)
        }
        try circle.exchange(6)
        #expect(made.allSatisfy { opens($0, in: second.engine) })
        #expect(try beginning(0) ?? 0 > 8 && beginning(1) ?? 0 > 8)
        #expect(try first.status.unopened == 0 && second.status.unopened == 0)
        for machine in circle.machines { #expect(try machine.engine.verify().damage.isEmpty) }
    }

    /// Has the record of a shelf as a later release may write it.
    private func makeLater(_ made: MadeFileKey, in engine: TestEngine) throws {
        let id = made.slot.shelf
        let cipher = try engine.engine.indexKey.withSpan { key in
            let info = Array("keychain shelves".utf8)
            let made = try HKDF.derive(from: key, salt: [UInt8]().span, info: info.span, count: AESGCM.keySize)
            return try made.withSpan { try AESGCM(key: $0) }
        }
        let (record, aad) = (SecretBuffer(), Array("shelf".utf8) + id.bytes)
        let stored = try engine.engine.withStoreWriter { (writer) throws(Refusal) in try writer.shelves.shelf(id) }
        let whole = stored?.sealed ?? []
        try cipher.open(whole.span, aad: aad.span, into: record)
        let later = [2] + record.withSpan { $0.array(1, $0.count - 1) }
        let sealed = try cipher.seal(later.span, aad: aad.span)
        let digits = sealed.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        try engine.tamper("UPDATE shelf SET sealed = x'\(digits)' WHERE hex(id) = upper('\(id.text)')")
        #expect(!opens(made, in: engine))
    }

    private func sealed(_ engine: TestEngine) throws -> [[UInt8]] {
        var found: [[UInt8]] = []
        try engine.engine.withStoreWriter { (writer) throws(Refusal) in
            try writer.shelves.shelves(after: nil) { (shelf) throws(Refusal) in
                found.append(shelf.sealed)
                return true
            }
        }
        return found
    }

    @Test("A record that a later release has written is nobody's to replace, and hides no other")
    func later() throws {
        let circle = try SyncedMachines()
        let (first, second) = (circle.first, circle.second)
        let made = try make(in: first.engine)
        try circle.exchange()
        let backup = try first.engine.backUp(ConsentingUser.passcode)
        try makeLater(made, in: second.engine)
        let before = try sealed(second.engine)
        #expect(try second.engine.restoreAll(backup, password: ConsentingUser.passcode).map(\.outcome) == [.refused])
        try first.engine.tamper("UPDATE syncrow SET dirty = 1, hlc = hlc + 1 WHERE class = 6")
        try first.restart()
        try circle.exchange()
        #expect(try sealed(second.engine) == before && opens(made, in: first.engine))
        let next = try make(in: second.engine)
        try circle.exchange()
        #expect(circle.machines.allSatisfy { opens(next, in: $0.engine) })
    }

    @Test("A damaged shelf that stays on its machine goes by no word of another's")
    func stays() throws {
        let circle = try SyncedMachines()
        let second = circle.second
        let made = try make(class: 1, in: second.engine)
        try spoil(made, in: second.engine)
        try circle.first.engine.engine.withCircleItems { (items) throws(Refusal) in
            try items.delete(made.slot.shelf)
            try items.tables.mark(made.slot.shelf, isTombstone: true)
        }
        try circle.exchange()
        #expect(try second.engine.engine.shelves.records(after: nil).map(\.id) == [made.slot.shelf])
    }
}
