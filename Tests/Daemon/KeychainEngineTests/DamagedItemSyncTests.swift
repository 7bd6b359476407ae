import KeychainModel
import KeychainWire
import SyncFormat
import TestSupport
import Testing

@testable import KeychainEngine

/// Items whose rows somebody has spoiled on one machine of a circle.
@Suite("Damaged items in a circle")
struct DamagedItemSyncTests {
    private func publish(_ machine: SyncedMachine, _ names: String, in circle: SyncedMachines) throws {
        for number in 0..<12 {
            try machine.keychain.add("\(names) \(number)", value: "\(number)")
            try machine.push(circle.transport)
        }
        try circle.exchange(6)
    }

    /// Whether a machine has discarded the beginning of its log: everybody has endorsed a snapshot.
    private func hasDiscarded(_ machine: SyncedMachine, in circle: SyncedMachines) throws -> Bool {
        let me = try machine.status.me
        return try circle.slots().map(\.slot).filter { $0.device == me }.map(\.seq).min() ?? 0 > 8
    }

    @Test(
        "A machine with a damaged item makes no snapshot and says why, until another changes it or a backup has it",
        arguments: [true, false])
    func snapshots(isRestored: Bool) throws {
        let circle = try SyncedMachines(snapshotAfter: 8)
        let (first, second) = (circle.first, circle.second)
        try first.keychain.add("mail", value: "secret")
        try circle.exchange()
        #expect(try second.status.unopened == 0)
        let backup = try second.engine.backUp(ConsentingUser.passcode)
        try second.engine.tamper("UPDATE genp SET meta = zeroblob(length(meta))")
        try publish(second, "item", in: circle)
        #expect(try !hasDiscarded(second, in: circle) && second.status.unopened == 1)
        #expect(try first.status.unopened == 0)
        if isRestored {
            _ = try second.engine.restoreAll(backup, password: ConsentingUser.passcode)
        } else {
            try first.keychain.update("mail", ["v_Data": .data(Array("other".utf8))])
        }
        try circle.exchange()
        let value = try second.keychain.values()["mail"]
        #expect(value == (isRestored ? "secret" : "other"))
        #expect(try second.status.unopened == 0)
        try circle.exchange(6)
        #expect(try hasDiscarded(second, in: circle))
    }
}
