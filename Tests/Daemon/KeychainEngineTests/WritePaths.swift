import Glibc
import KeychainModel
import KeychainPolicy
import KeychainWire
import LinuxSystem
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// A way in which items of a keychain change, and how many records of a circle it marks.
struct WritePath: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let marks: Int
    let prepare: @Sendable (WritePathKeychain) throws -> Void
    let run: @Sendable (WritePathKeychain) throws -> Void

    init(
        _ description: String, marks: Int,
        after prepare: @escaping @Sendable (WritePathKeychain) throws -> Void = { _ in },
        _ run: @escaping @Sendable (WritePathKeychain) throws -> Void
    ) {
        (testDescription, self.marks, self.prepare, self.run) = (description, marks, prepare, run)
    }

    static let all = requests + ofGroups + ofIdentities + ofVersions + ofBackups + ofTheStore

    private static let requests = [
        WritePath("an added item", marks: 1) { try $0.add("a") },
        WritePath("an added item of this device alone", marks: 0) { try $0.add("a", ["pdmn": .string("cku")]) },
        WritePath("an added item that is not for all devices", marks: 0) { try $0.engine.add("a", "v") },
        WritePath("an item in place of a deleted one", marks: 1) {
            try $0.add("a")
            try $0.delete("a")
        } _: {
            try $0.add("a")
        },
        WritePath("an add that changes what is there", marks: 1) {
            try $0.add("a")
        } _: {
            try $0.add("a", value: "new", updates: true)
        },
        WritePath("a refused add", marks: 0) {
            try $0.add("a")
        } _: { keychain in
            guard refusal({ try keychain.add("a") })?.status == .duplicateItem else { throw Unexpected() }
        },
        WritePath("many adds in one transaction, one of which is refused", marks: 2) {
            try $0.add("a")
        } _: {
            try $0.addTogether(["b", "a", "c"])
        },
        WritePath("a changed value", marks: 1) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["v_Data": .data([1])])
        },
        WritePath("another protection class", marks: 1) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["pdmn": .string("ck")])
        },
        WritePath("a protection class of this device alone", marks: 0) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["pdmn": .string("cku")])
        },
        WritePath("another primary key", marks: 2) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["acct": .string("b")])
        },
        WritePath("another access group", marks: 2) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["agrp": .string("new")])
        },
        WritePath("an item that is for all devices from now on", marks: 1) {
            try $0.engine.add("a", "v")
        } _: {
            try $0.update("a", ["sync": .boolean(true)], of: .boolean(false))
        },
        WritePath("an item that is for all devices no longer", marks: 1) {
            try $0.add("a")
        } _: {
            try $0.update("a", ["sync": .boolean(false)])
        },
        WritePath("a deleted item", marks: 1) {
            try $0.add("a")
        } _: {
            try $0.delete("a")
        },
        WritePath("all items deleted", marks: 2) {
            try $0.addTogether(["a", "b"])
        } _: {
            try $0.delete(nil)
        },
        WritePath("a deletion that wants no tombstone", marks: 1) {
            try $0.add("a")
        } _: {
            try $0.delete("a", ["u_Tomb": .boolean(false)])
        },
        WritePath("a deleted tombstone", marks: 0) {
            try $0.add("a")
            try $0.delete("a")
        } _: {
            try $0.delete("a", ["tomb": .boolean(true)])
        },
    ]

    private static let ofGroups = [
        WritePath("items that move to another group", marks: 4) {
            try $0.addTogether(["a", "b"])
        } _: {
            try $0.move(GroupMove(from: "test", to: "new"))
        },
        WritePath("a group under another name, and what was deleted in it", marks: 3) {
            try $0.addTogether(["a", "b"])
            try $0.delete("a")
        } _: {
            try $0.move(GroupMove(from: "test", to: "new", isRename: true))
        },
        WritePath("a group that goes with its program", marks: 0) {
            try $0.install()
        } _: {
            try $0.uninstall()
        },
    ]

    private static let ofIdentities = [
        WritePath("an added identity", marks: 2) { try $0.addIdentity() },
        WritePath("a deleted identity", marks: 2) {
            try $0.addIdentity()
        } _: {
            var builder = ItemRequestBuilder(.delete)
            try builder.set("class", .string("idnt"))
            try builder.set("sync", .boolean(true))
            _ = try $0.engine.write(try builder.build())
        },
    ]

    private static let ofVersions = [
        WritePath("a deleted item that comes back", marks: 1) {
            try $0.add("a")
            try $0.delete("a")
        } _: {
            try $0.restore("a")
        },
        WritePath("an item as it was before", marks: 1) {
            try $0.add("a")
            $0.moment.withLock { $0 = Clock.secondsSinceReferenceDate }
            try $0.update("a", ["v_Data": .data([1])])
        } _: { keychain in
            try keychain.restore("a", asOf: keychain.moment.withLock { $0 })
        },
        WritePath("forgotten versions", marks: 0) {
            try $0.add("a")
            try $0.update("a", ["v_Data": .data([1])])
        } _: {
            try $0.forget("a")
        },
        WritePath("versions that are past", marks: 0) {
            try $0.add("a")
            try $0.update("a", ["v_Data": .data([1])])
        } _: {
            try $0.engine.engine.change { (writer) throws(Refusal) in try writer.trimHistory(now: 1e10) }
        },
    ]

    private static let ofBackups = [
        WritePath("an item of a backup", marks: 1) {
            try $0.add("a")
            try $0.keepBackup()
            try $0.engine.tamper("DELETE FROM genp")
        } _: {
            try $0.restoreBackup(.added)
        },
        WritePath("an item of a backup in place of an older one", marks: 1) {
            try $0.addElsewhere("a", later: true)
        } _: {
            try $0.restoreBackup(.replaced)
        },
        WritePath("an item of a backup that is older than what is there", marks: 0) {
            try $0.addElsewhere("a", later: false)
        } _: {
            try $0.restoreBackup(.kept)
        },
        WritePath("an item of a backup that is there", marks: 0) {
            try $0.add("a")
            try $0.keepBackup()
        } _: {
            try $0.restoreBackup(.same)
        },
    ]

    private static let ofTheStore = [
        WritePath("an item in place of a damaged one", marks: 1) {
            try $0.add("a")
            try $0.engine.tamper("UPDATE genp SET meta = zeroblob(length(meta))")
        } _: {
            try $0.add("a")
        },
        WritePath("a passcode that goes with its items", marks: 0) {
            try $0.engine.device(.setPasscode, "1")
            try $0.add("a", ["pdmn": .string("akpu")])
        } _: {
            try $0.engine.device(.removePasscode, "1")
        },
        WritePath("counters that are counted again", marks: 0) {
            try $0.add("a")
            try $0.engine.tamper("DELETE FROM usage")
        } _: {
            try $0.engine.engine.change { (writer) throws(Refusal) in try writer.store.recount() }
        },
        WritePath("a store that is tidied up", marks: 0) {
            try $0.add("a")
        } _: {
            $0.engine.engine.maintain()
        },
    ]

    private struct Unexpected: Error {}
}
