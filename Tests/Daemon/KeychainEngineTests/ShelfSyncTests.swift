import KeychainBackup
import KeychainCrypto
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncService
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Shelves go from keychain to keychain of a circle, so that a file that was copied opens there: real services, stores
/// and enclaves, over a real folder.
@Suite("Shelves of machines over a folder")
struct ShelfSyncTests {
    private let file = FileID()

    private func place(
        _ protection: FileProtection = .complete, class index: Int = 0, control: UInt64 = 0, name: String = ""
    ) -> ShelfPlace {
        let binding = KeyBinding(group: "test", accessibility: protection.accessibilities[index], control: control)
        return ShelfPlace(protection, binding, name: name)
    }

    private func make(_ place: ShelfPlace, on machine: SyncedMachine) throws(Refusal) -> MadeFileKey {
        guard case .file(.made(let made)) = try machine.engine.key(.file(.make(file, place))) else {
            throw .malformed("the reply")
        }
        return made
    }

    private func key(
        _ made: MadeFileKey, _ protection: FileProtection = .complete, on machine: SyncedMachine
    ) throws(Refusal) -> SecretBytes {
        let claim = FileKeyClaim(file: file, protection: protection, slot: made.slot)
        guard case .file(.key(let key)) = try machine.engine.key(.file(.open(claim))) else {
            throw .malformed("the reply")
        }
        return key
    }

    private func opens(
        _ made: MadeFileKey, _ protection: FileProtection = .complete, on machine: SyncedMachine
    ) -> Bool {
        (try? key(made, protection, on: machine).isEqual(to: made.key)) == true
    }

    private func delete(_ made: MadeFileKey, on machine: SyncedMachine) throws {
        _ = try machine.engine.key(.file(.deleteShelf(made.slot.shelf, everywhere: true)))
    }

    private func isGone(_ made: MadeFileKey, on machine: SyncedMachine) -> Bool {
        refusal { _ = try key(made, on: machine) }?.rule == .noShelf
    }

    /// A new file of a shelf whose id is not that of its keys, which a backup brings.
    private func makeStrange(on machine: SyncedMachine) throws -> MadeFileKey {
        _ = try make(place(name: "usual"), on: machine)
        let (record, _) = try #require(try machine.engine.backUp(ConsentingUser.passcode).shelves().first)
        let (id, pair) = (ShelfID(), try PrivateKey.generate(.x25519, bits: 256))
        let renamed = BackupShelf(record.shelf, name: "strange", made: record.made)
        _ = try machine.engine.restoreAll(
            try TestBackup.forged(renamed, pair, id: id), password: ConsentingUser.passcode)
        let made = try make(place(name: "strange"), on: machine)
        #expect(made.slot.shelf == id)
        return made
    }

    /// Has a machine tell the others of a deletion of shelves that it does not have.
    private func deleteUnseen(_ shelves: [ShelfID], by machine: SyncedMachine) throws {
        try machine.engine.engine.withCircleItems { (items) throws(Refusal) in
            for id in shelves {
                try items.delete(id)
                try items.tables.mark(id, isTombstone: true)
            }
        }
    }

    @Test("Files of every class open on the other machine, whose new files go to its own shelf and open on the first")
    func travels() throws {
        let circle = try SyncedMachines()
        let made = try FileProtection.allCases.map {
            (made: try make(place($0, name: "letters"), on: circle.first), protection: $0)
        }
        #expect(try circle.first.status.unsent == 4)
        try circle.exchange()
        #expect(try circle.first.status.unsent == 0)
        for one in made { #expect(opens(one.made, one.protection, on: circle.second)) }
        let later = try make(place(name: "letters"), on: circle.second)
        #expect(!made.contains { $0.made.slot.shelf == later.slot.shelf } && !opens(later, on: circle.first))
        try circle.exchange()
        #expect(opens(later, on: circle.first))
        // Nor does the one that came back from there, after its user's own was deleted.
        let own = try #require(made.first { $0.protection == .complete }).made
        try delete(own, on: circle.first)
        let next = try make(place(name: "letters"), on: circle.first)
        #expect(next.slot.shelf != own.slot.shelf && next.slot.shelf != later.slot.shelf)
        for machine in circle.machines { #expect(try machine.engine.verify().damage.isEmpty) }
    }

    @Test("A change of shelves wakes the carrier, as one of items does")
    func wakes() throws {
        let circle = try SyncedMachines()
        let before = circle.first.engine.engine.circleEpoch.value
        let made = try make(place(), on: circle.first)
        let after = circle.first.engine.engine.circleEpoch.value
        try circle.exchange()
        try delete(made, on: circle.first)
        #expect(before < after && after < circle.first.engine.engine.circleEpoch.value)
    }

    @Test("Default shelves that both machines made at once are both there, and the files of each open on both")
    func madeAtOnce() throws {
        let circle = try SyncedMachines()
        let made = try circle.machines.map { try make(place(), on: $0) }
        try circle.exchange()
        #expect(made[0].slot.shelf != made[1].slot.shelf)
        for machine in circle.machines { for one in made { #expect(opens(one, on: machine)) } }
        // Each goes on with the one that it had first, whose keys it has made itself.
        for (machine, one) in zip(circle.machines, made) {
            #expect(try make(place(), on: machine).slot.shelf == one.slot.shelf)
        }
    }

    @Test("Shelves from before the circle travel in both directions, and joining deletes none")
    func older() throws {
        var made: [MadeFileKey] = []
        let circle = try SyncedMachines { machines in made = try machines.map { try make(place(), on: $0) } }
        for machine in circle.machines { for one in made { #expect(opens(one, on: machine)) } }
    }

    @Test("A shelf of this device alone, or with an access control, stays, and its deletion tells nobody")
    func stays() throws {
        let circle = try SyncedMachines()
        let anchored = CallerIdentity(user: 0, process: 2, program: "firm", isAnchored: true, groups: ["test"])
        let guarded = KeyRequest.file(.make(file, place(control: 1 << 48, name: "firm")))
        _ = try circle.first.engine.key(guarded, from: anchored)
        let local = try make(place(class: 1), on: circle.first)
        #expect(try circle.first.status.unsent == 0)
        try circle.exchange()
        #expect(isGone(local, on: circle.second) && opens(local, on: circle.first))
        #expect(try circle.second.keychain.count("SELECT count(*) FROM sqlite_schema WHERE name = 'shelf'") == 0)
        _ = try circle.first.engine.key(.file(.deleteShelf(local.slot.shelf)))
        #expect(try circle.first.status.unsent == 0)
    }

    @Test("A member in wrong hands deletes no shelf that never left its machine, and others still go")
    func hostileDeletion() throws {
        let circle = try SyncedMachines()
        let anchored = CallerIdentity(user: 0, process: 2, program: "firm", isAnchored: true, groups: ["test"])
        _ = try circle.first.engine.key(.file(.make(file, place(control: 1 << 48, name: "firm"))), from: anchored)
        let local = try make(place(class: 1), on: circle.first)
        let shared = try make(place(), on: circle.first)
        try circle.exchange()
        let staying = try circle.first.engine.engine.shelves.records(after: nil).map(\.id)
        try deleteUnseen(staying, by: circle.second)
        try circle.exchange()
        #expect(opens(local, on: circle.first) && isGone(shared, on: circle.first))
        #expect(try circle.first.engine.engine.shelves.records(after: nil).count == staying.count - 1)
        try circle.first.restart()
        #expect(opens(local, on: circle.first))
        try circle.exchange(6)
        #expect(try circle.second.keychain.count("SELECT count(*) FROM syncrow WHERE class = 6") == 0)
    }

    @Test("A shelf whose id is not that of its keys opens its files, and neither leaves nor goes by another's word")
    func strangeIDs() throws {
        let circle = try SyncedMachines()
        let made = try make(place(name: "made"), on: circle.first)
        let mine = try makeStrange(on: circle.first)
        let strange = mine.slot.shelf
        try circle.exchange()
        #expect(try circle.first.status.unsent == 0)
        #expect(opens(mine, on: circle.first) && isGone(mine, on: circle.second) && opens(made, on: circle.second))
        try deleteUnseen([strange], by: circle.second)
        try circle.exchange()
        #expect(opens(mine, on: circle.first))
    }

    @Test("A locked newcomer loses no shelf that stays, however often a member in wrong hands deletes it")
    func lockedHostileDeletion() throws {
        let (circle, newcomer) = (try SyncedMachines(), try SyncedMachine("newcomer"))
        let mine = try makeStrange(on: newcomer)
        try circle.add(newcomer)
        try newcomer.lock()
        // After a commit of another process all is read again, and what is closed is not known.
        try newcomer.engine.tamper("UPDATE shelf SET made = made")
        try circle.exchange()
        for _ in 0..<2 {
            try deleteUnseen([mine.slot.shelf], by: circle.first)
            try circle.exchange()
        }
        try newcomer.unlock()
        try circle.exchange()
        #expect(opens(mine, on: newcomer))
    }

    @Test("Where a shelf does not open, a later version puts it back, and its deletion is taken, too")
    func damaged() throws {
        let circle = try SyncedMachines()
        let made = try make(place(), on: circle.first)
        try circle.exchange()
        let stamp = "SELECT hlc FROM syncrow WHERE class = 6"
        let before = try #require(try circle.second.keychain.count(stamp))
        try circle.second.engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed))")
        try circle.first.engine.tamper("UPDATE syncrow SET dirty = 1, hlc = hlc + 1 WHERE class = 6")
        try circle.first.restart()
        try circle.exchange()
        #expect(try circle.first.status.unsent == 0 && circle.first.keychain.count(stamp) == before + 1)
        #expect(try circle.second.keychain.count(stamp) == before + 1)
        for machine in circle.machines { #expect(opens(made, on: machine)) }
        try circle.second.engine.tamper("UPDATE shelf SET sealed = zeroblob(length(sealed))")
        try delete(made, on: circle.first)
        try circle.exchange()
        #expect(isGone(made, on: circle.second))
    }

    @Test("A machine with as many shelves of others as there may be takes no more, and its programs make theirs")
    func full() throws {
        let circle = try SyncedMachines()
        let before = try make(place(name: "before"), on: circle.first)
        try circle.exchange()
        // Each counts by its row.
        let rows = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < \(ShelfLimits.all - 1)) "
        try circle.second.engine.tamper(
            rows + "INSERT INTO shelf SELECT CAST(printf('%08d', i) AS BLOB), x'', x'', 0, x'' FROM n")
        let late = try make(place(name: "late"), on: circle.first)
        try circle.exchange()
        #expect(opens(before, on: circle.second) && isGone(late, on: circle.second))
        let own = try make(place(name: "own"), on: circle.second)
        try circle.exchange()
        #expect(opens(own, on: circle.first))
        try circle.second.engine.tamper("DELETE FROM shelf WHERE sealed = x''")
        let later = try make(place(name: "later"), on: circle.first)
        try circle.exchange()
        #expect(opens(later, on: circle.second))
    }

    @Test("A shelf that its user deletes goes from the other machine, and nobody brings it back")
    func deletion() throws {
        let circle = try SyncedMachines()
        let made = try make(place(), on: circle.first)
        try circle.exchange()
        #expect(opens(made, on: circle.second))
        // Nobody deletes for all without having said so.
        let unconfirmed = KeyRequest.file(.deleteShelf(made.slot.shelf))
        #expect(refusal { _ = try circle.second.engine.key(unconfirmed) }?.rule == .losesFiles)
        try circle.exchange()
        for machine in circle.machines { #expect(opens(made, on: machine)) }
        try delete(made, on: circle.second)
        try circle.exchange()
        for machine in circle.machines { #expect(isGone(made, on: machine)) }
        let newcomer = try SyncedMachine("newcomer")
        try circle.add(newcomer)
        try circle.exchange(6)
        for machine in circle.machines {
            #expect(isGone(made, on: machine))
            // Everybody has read it, so that the tombstone goes.
            #expect(try machine.keychain.count("SELECT count(*) FROM syncrow WHERE class = 6") == 0)
        }
    }

    @Test("A deleted shelf comes back on all machines when one restores a backup that has it")
    func comesBack() throws {
        let circle = try SyncedMachines()
        let made = try make(place(), on: circle.first)
        try circle.exchange()
        let backup = try circle.first.engine.backUp(ConsentingUser.passcode)
        try delete(made, on: circle.second)
        try circle.exchange(1)
        _ = try circle.first.engine.restoreAll(backup, password: ConsentingUser.passcode)
        try circle.exchange()
        for machine in circle.machines { #expect(opens(made, on: machine)) }
    }

    @Test("Leaving the circle keeps every shelf and no tombstone, and the machine deletes without telling the others")
    func leaving() throws {
        let circle = try SyncedMachines()
        let made = try (0..<2).map { try make(place(name: "\($0)"), on: circle.first) }
        try circle.exchange()
        try delete(made[0], on: circle.second)
        try circle.second.change(.leave)
        #expect(opens(made[1], on: circle.second))
        let tombstones = "SELECT count(*) FROM sqlite_schema WHERE name = 'shelftomb'"
        #expect(try circle.second.keychain.count(tombstones) == 0)
        _ = try circle.second.engine.key(.file(.deleteShelf(made[1].slot.shelf)))
        try circle.first.pull(circle.transport)
        for one in made { #expect(opens(one, on: circle.first)) }
    }

    @Test("A locked machine gets a shelf when it is unlocked, and a machine that was started again has it")
    func locked() throws {
        let circle = try SyncedMachines()
        let made = try make(place(.completeUntilFirstUserAuthentication), on: circle.first)
        try circle.second.lock()
        try circle.exchange()
        let protection = FileProtection.completeUntilFirstUserAuthentication
        #expect(!opens(made, protection, on: circle.second))
        try circle.second.unlock()
        try circle.exchange()
        #expect(opens(made, protection, on: circle.second))
        try circle.second.restart()
        #expect(opens(made, protection, on: circle.second))
        let later = try make(place(name: "later"), on: circle.second)
        try circle.exchange()
        #expect(opens(later, on: circle.first))
    }

    @Test("Shelves of a locked newcomer wait, and its items that are open do not wait for them")
    func lockedNewcomer() throws {
        let (circle, newcomer) = (try SyncedMachines(), try SyncedMachine("newcomer"))
        let made = try (0..<16).map { try make(place(name: "\($0)"), on: newcomer) }
        try newcomer.keychain.add("open", ["pdmn": .string("ck")], value: "open")
        try circle.add(newcomer)
        try newcomer.lock()
        try circle.exchange()
        #expect(try circle.first.keychain.values()["open"] == "open" && isGone(made[0], on: circle.first))
        #expect(try newcomer.status.unsent == UInt64(made.count))
        try newcomer.unlock()
        try circle.exchange()
        #expect(try newcomer.status.unsent == 0)
        for one in made { #expect(opens(one, on: circle.first)) }
    }

    @Test("A row that somebody else wrote for a tombstone deletes no shelf anywhere; a damaged one stops nobody")
    func forged() throws {
        let circle = try SyncedMachines()
        let made = try (0..<2).map { try make(place(name: "\($0)"), on: circle.first) }
        try circle.exchange()
        let (first, second) = (made[0].slot.shelf.text, made[1].slot.shelf.text)
        for sql in [
            "CREATE TABLE shelftomb (id BLOB PRIMARY KEY, sealed BLOB NOT NULL) WITHOUT ROWID",
            "INSERT INTO shelftomb SELECT id, sealed FROM shelf WHERE hex(id) = upper('\(first)')",
            "DELETE FROM shelf WHERE hex(id) = upper('\(first)')",
            "UPDATE shelf SET sealed = zeroblob(length(sealed)) WHERE hex(id) = upper('\(second)')",
            "UPDATE syncrow SET dirty = 1, hlc = hlc + 1 WHERE class = 6",
        ] { try circle.second.engine.tamper(sql) }
        try circle.second.restart()
        try circle.second.keychain.add("mail", value: "goes on")
        try circle.exchange()
        for one in made { #expect(opens(one, on: circle.first)) }
        #expect(try circle.first.keychain.values()["mail"] == "goes on")
    }

    @Test("Rows without an id and rows that stay change no answer about another, so that no deletion becomes another's")
    func shifted() throws {
        let circle = try SyncedMachines()
        let made = try (0..<3).map { try make(place(name: "\($0)"), on: circle.first) }
        try circle.exchange()
        try delete(made[2], on: circle.second)
        for sql in [
            "INSERT INTO shelf SELECT x'00', place, ownr, made, sealed FROM shelf LIMIT 1",
            "UPDATE syncrow SET dirty = 1, hlc = hlc + 1, origin = NULL WHERE class = 6",
        ] { try circle.second.engine.tamper(sql) }
        try circle.second.restart()
        try circle.exchange()
        for machine in circle.machines {
            #expect(opens(made[0], on: machine) && opens(made[1], on: machine) && isGone(made[2], on: machine))
        }
    }

    @Test("A newcomer that starts from a snapshot has the shelves in it, and each machine endorses what it has itself")
    func snapshots() throws {
        let circle = try SyncedMachines(snapshotAfter: 8)
        let made = try make(place(), on: circle.first)
        for number in 0..<12 {
            try circle.first.keychain.add("item \(number)", value: "\(number)")
            try circle.first.push(circle.transport)
        }
        try circle.exchange(6)
        let me = try circle.first.status.me
        #expect(try circle.slots().map(\.slot).filter { $0.device == me }.map(\.seq).min() ?? 0 > 8)
        let third = try SyncedMachine("third", snapshotAfter: 8)
        try circle.add(third)
        try circle.exchange(6)
        #expect(opens(made, on: third))
    }
}
