import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncService
import SyncTransports
import TestSupport
import Testing

@testable import KeychainEngine

/// Snapshots as daemons make, compare and start from them, with their enclaves, over a folder.
@Suite("Snapshots of machines over a folder")
struct SnapshotServiceTests {
    private static let batches: UInt64 = 8

    /// Writes an item in each of so many batches, and deletes the first.
    private static func write(_ count: Int, _ machine: SyncedMachine, _ circle: SyncedMachines) throws {
        for number in 0..<count {
            try machine.keychain.add("item \(number)", value: "\(number)")
            try machine.push(circle.transport)
        }
        try machine.keychain.delete("item 0")
        try machine.push(circle.transport)
    }

    private static func values(_ count: Int) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (1..<count).map { ("item \($0)", "\($0)") })
    }

    /// The batches that the folder has of a machine.
    private static func log(_ machine: SyncedMachine, _ circle: SyncedMachines) throws -> [UInt64] {
        let me = try machine.status.me
        return try circle.slots().map(\.slot).filter { $0.device == me }.map(\.seq).sorted()
    }

    /// Two machines, of which the first has written a snapshot that both have endorsed, and discarded what it covers.
    private static func short(_ count: Int = 2) throws -> SyncedMachines {
        let circle = try SyncedMachines(count, snapshotAfter: batches)
        try write(12, circle.first, circle)
        try circle.exchange(6)
        #expect(try log(circle.first, circle).first ?? 0 > 12)
        return circle
    }

    @Test("A newcomer reads few files when logs are discarded, and has all items; its changes come to the others")
    func newcomer() throws {
        let circle = try Self.short()
        #expect(try circle.slots().count < 12)
        let third = try SyncedMachine("third", snapshotAfter: Self.batches)
        try third.keychain.add("of the third", value: "3")
        try circle.add(third)
        try circle.exchange(6)
        for machine in circle.machines {
            #expect(try machine.keychain.values() == Self.values(12).merging(["of the third": "3"]) { $1 })
            #expect(try machine.status.standing == .isIn)
            #expect(try machine.engine.verify().damage.isEmpty)
        }
        try circle.first.keychain.delete("item 5")
        try circle.exchange()
        #expect(try third.keychain.values()["item 5"] == nil)
    }

    /// Writes what nobody has signed: where batches are gone, behind the end, and for a machine that there is not.
    private static func forge(
        _ machine: SyncedMachine, _ circle: SyncedMachines, behind isWhole: Bool = false
    ) throws {
        let (me, name) = (try machine.status.me, try machine.status.circle)
        let (sealed, hash) = ([UInt8](repeating: 7, count: 64), BatchHash([7]))
        let own: [UInt64] = isWhole ? [1000] : [1, 2, 1000]
        for (device, seq) in own.map({ (me, $0) }) + [(MemberID(number: 7), UInt64(5))] {
            let header = SyncHeader(
                circle: name, device: device, seq: seq, previous: seq == 1 ? .none : hash,
                generation: GenerationID([1]), salt: hash)
            let batch = SyncBatch(header, [], sealed: sealed, sealedHash: hash) { _ in sealed }
            let commitment = try circle.transport.commit(try #require(batch.bytes), in: batch.slot)
            guard case .done = commitment else { throw Refusal.malformed("a slot that is taken") }
        }
    }

    @Test("What a stranger writes where batches are gone keeps no newcomer out") func strangers() throws {
        for isWhole in [false, true] {
            let circle = isWhole ? try SyncedMachines() : try Self.short()
            if isWhole { try circle.first.keychain.add("item 1", value: "1") }
            try circle.exchange()
            let third = try SyncedMachine("third", snapshotAfter: Self.batches)
            try Self.forge(circle.first, circle, behind: isWhole)
            try circle.add(third)
            try circle.exchange(6)
            #expect(try third.keychain.values()["item 1"] == "1")
            #expect(try third.status.standing == .isIn)
        }
    }

    @Test("A newcomer that has paired starts on that member's word, though another has made the snapshot", .patient)
    func paired() throws {
        let circle = try Self.short()
        let third = try SyncedMachine("third", snapshotAfter: Self.batches)
        let played = PlayedPairing()
        let sides = (try played.invite(circle.second), try played.seek(third, at: circle.folder.path))
        third.user.enter(circle.second.user.shownDigits)
        #expect(try played.carry([circle.second, third]) { sides.0.hasEnded && sides.1.hasEnded })
        _ = (try sides.0.end(), try sides.1.end())
        circle.joined(third)
        try third.keychain.add("of the third", value: "3")
        try circle.exchange(6)
        for machine in circle.machines {
            #expect(try machine.keychain.values() == Self.values(12).merging(["of the third": "3"]) { $1 })
        }
    }

    @Test("The next snapshot takes the place of the one before, whose parts go")
    func next() throws {
        let circle = try Self.short()
        let (first, name) = (try circle.first.status.me, try circle.first.status.circle)
        let old = try Self.log(circle.first, circle)[0]
        func part(_ seq: UInt64) throws -> [UInt8]? {
            try circle.transport.read(SyncSlot(circle: name, device: first, seq: seq, part: 0))
        }
        #expect(try part(old) != nil)
        for number in 20..<32 {
            try circle.first.keychain.add("item \(number)", value: "later")
            try circle.first.push(circle.transport)
        }
        try circle.exchange(6)
        let new = try Self.log(circle.first, circle)[0]
        #expect(new > old)
        #expect(try part(old) == nil && part(new) != nil)
        for machine in circle.machines { #expect(try machine.keychain.values().count == 23) }
    }

    @Test("While a machine is away nothing is discarded; it reads all when it is back, and then logs become short")
    func away() throws {
        let circle = try SyncedMachines(3, snapshotAfter: Self.batches)
        let late = circle.machines[2]
        try Self.write(12, circle.first, circle)
        for _ in 0..<4 {
            for machine in circle.machines.prefix(2) {
                try machine.pull(circle.transport)
                try machine.push(circle.transport)
            }
        }
        #expect(try Self.log(circle.first, circle).first == 1)
        #expect(try late.keychain.values().isEmpty)
        try late.keychain.add("of the late", value: "l")
        try circle.exchange(6)
        #expect(try Self.log(circle.first, circle).first ?? 0 > 12)
        for machine in circle.machines {
            #expect(try machine.keychain.values() == Self.values(12).merging(["of the late": "l"]) { $1 })
        }
    }

    @Test("A newcomer that is shown damaged parts, none, or no end of a log has nothing, until the place is right")
    func hostilePlace() throws {
        let circle = try Self.short()
        let third = try SyncedMachine("third", snapshotAfter: Self.batches)
        try third.change(.join(try circle.first.status.circle, place: circle.folder.path, name: third.name))
        try circle.first.change(.add(try third.status.keys, name: third.name))
        for machine in circle.machines {
            try machine.push(circle.transport)
            try machine.pull(circle.transport)
        }
        try third.pull(circle.transport) { _, _ in nil }
        try third.pull(circle.transport) { folder, slot in
            try folder.read(slot).map { Array($0.dropLast()) + [~($0.last ?? 0)] }
        }
        #expect(try third.keychain.values().isEmpty && third.next() == nil)
        #expect(try third.status.standing == .waitsToBeAdded)
        try third.pull(circle.transport)
        #expect(try third.keychain.values() == Self.values(12))
        #expect(try third.status.standing == .isIn)
    }

    @Test("A member endorses no snapshot whose parts are others, and takes no part that it does not want")
    func damaged() throws {
        let circle = try SyncedMachines(2, snapshotAfter: Self.batches)
        // No tombstone may go before the snapshot is compared: a machine without it waits for the next.
        for number in 0..<12 {
            try circle.first.keychain.add("item \(number)", value: "\(number)")
            try circle.first.push(circle.transport)
        }
        for _ in 0..<2 {
            try circle.first.pull(circle.transport)
            try circle.first.push(circle.transport)
        }
        let status = try circle.second.status
        let unwanted = SyncSlot(circle: status.circle, device: status.me, seq: 1, part: 0)
        #expect(try circle.second.take([1, 2, 3], in: unwanted) == .refused)
        try circle.second.pull(circle.transport) { _, _ in nil }
        #expect(try !circle.second.positions.wanted.isEmpty)
        try circle.second.pull(circle.transport) { folder, slot in
            try folder.read(slot).map { Array($0.dropLast()) + [~($0.last ?? 0)] }
        }
        func exchange() throws {
            try circle.second.push(circle.transport)
            try circle.first.pull(circle.transport)
            try circle.first.push(circle.transport)
        }
        try exchange()
        #expect(try Self.log(circle.first, circle).first == 1)
        try circle.exchange(6)
        #expect(try Self.log(circle.first, circle).first ?? 0 > 1)
    }

    @Test("A machine that ends while it commits a snapshot goes on with it, and nobody loses anything")
    func endsBetween() throws {
        let circle = try SyncedMachines(2, snapshotAfter: Self.batches)
        var part: (slot: SyncSlot, bytes: [UInt8])?
        var count = 0
        while part == nil, count < 20 {
            try circle.first.keychain.add("item \(count)", value: "\(count)")
            count += 1
            while part == nil, let (slot, bytes) = try circle.first.next() {
                let commitment = try circle.transport.commit(bytes, in: slot)
                if slot.part == nil { try circle.first.commit(slot, commitment) } else { part = (slot, bytes) }
            }
        }
        #expect(part?.slot.part == 0)
        try circle.first.restart()
        #expect(try circle.first.next()?.bytes == part?.bytes)
        try circle.exchange(6)
        #expect(try Self.log(circle.first, circle).first ?? 0 > 1)
        for machine in circle.machines { #expect(try machine.keychain.values().count == count) }
    }

    @Test("A recovery key brings all items when logs are discarded and others are gone", arguments: [false, true])
    func recovers(isHostile: Bool) throws {
        let circle = try SyncedMachines(1, snapshotAfter: Self.batches)
        try circle.first.change(.recoveryKey)
        let code = circle.first.user.shownCode
        try Self.write(12, circle.first, circle)
        try circle.exchange(6)
        #expect(try Self.log(circle.first, circle).first ?? 0 > 12)
        if isHostile {
            // Another machine was added, and has never come.
            let phone = try SyncedMachine("phone")
            try phone.change(.join(try circle.first.status.circle, place: circle.folder.path, name: phone.name))
            try circle.first.change(.add(try phone.status.keys, name: phone.name))
            try circle.exchange(2)
            try Self.forge(circle.first, circle)
        }
        let newcomer = try Self.bring(circle, code)
        try newcomer.change(.recover)
        #expect(try newcomer.next() == nil)
        try newcomer.pull(circle.transport)
        #expect(try newcomer.keychain.values() == Self.values(12))
        try newcomer.push(circle.transport)
        #expect(try newcomer.status.standing == .isIn)
        circle.joined(newcomer)
        try newcomer.keychain.add("of the new", value: "n")
        try circle.exchange()
        if !isHostile { #expect(try circle.first.keychain.values()["of the new"] == "n") }
    }

    /// A machine to which a carrier has brought all that the folder has, for a recovery key.
    private static func bring(_ circle: SyncedMachines, _ code: String) throws -> SyncedMachine {
        let newcomer = try SyncedMachine("new", snapshotAfter: batches)
        newcomer.user.enter(code)
        _ = try newcomer.service.answer(.recover(place: circle.folder.path, name: newcomer.name), [])
        for _ in 0..<2 {
            for (slot, bytes) in try circle.slots() {
                _ = try newcomer.take(bytes, in: slot)
                let part = SyncSlot(circle: slot.circle, device: slot.device, seq: slot.seq, part: 0)
                if let content = try circle.transport.read(part) { _ = try newcomer.take(content, in: part) }
            }
        }
        return newcomer
    }

    @Test("A machine that has started from a snapshot endorses it, so that a recovery key starts from it too")
    func recoversLater() throws {
        let circle = try Self.short()
        let third = try SyncedMachine("third", snapshotAfter: Self.batches)
        try circle.add(third)
        try circle.exchange(6)
        try circle.first.change(.recoveryKey)
        let code = circle.first.user.shownCode
        try circle.exchange(2)
        let me = try third.status.me
        let said = try circle.slots().filter { $0.slot.device == me }.flatMap { _, bytes in
            try SyncBatch(decoding: bytes) { _ in .none }.statements
        }
        #expect(said.contains { if case .endorse = $0 { true } else { false } })
        let newcomer = try Self.bring(circle, code)
        try newcomer.change(.recover)
        try newcomer.pull(circle.transport)
        #expect(try newcomer.keychain.values() == Self.values(12))
    }

    @Test("A machine that takes the place of the only one soon has a snapshot of its own, and a recovery key finds it")
    func replacesTheOnlyOne() throws {
        let circle = try SyncedMachines(1, snapshotAfter: 16)
        try Self.write(20, circle.first, circle)
        try circle.exchange(2)
        #expect(try Self.log(circle.first, circle).first ?? 0 > 16)
        let (old, second) = (try circle.first.status.me, try SyncedMachine("second", snapshotAfter: 16))
        try circle.add(second)
        try circle.exchange(4)
        try second.change(.recoveryKey)
        let code = second.user.shownCode
        try second.change(.remove(old, keeping: [try second.status.me]))
        for _ in 0..<3 {
            try second.push(circle.transport)
            try second.pull(circle.transport)
        }
        #expect(
            try second.status.machines.filter { $0.flags.isDisjoint(with: [.isRemoved, .isRecoveryKey]) }.count == 1)
        let (me, name, seq) = (try second.status.me, try second.status.circle, try Self.log(second, circle)[0])
        #expect(try circle.transport.read(SyncSlot(circle: name, device: me, seq: seq, part: 0)) != nil)
        let newcomer = try Self.bring(circle, code)
        try newcomer.change(.recover)
        try newcomer.pull(circle.transport)
        #expect(try newcomer.keychain.values() == Self.values(20))
    }
}
