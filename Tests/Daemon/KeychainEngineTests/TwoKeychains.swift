import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat
import SyncMerging
import SyncStore
import TestSupport
import Testing

@testable import KeychainEngine
@testable import KeychainStore

/// Two real keychains in one circle, and a transport in memory.
final class TwoKeychains {
    struct Machine {
        let keychain: WritePathKeychain
        let keys: CircleTestKeys
        let member: CircleMember

        init() throws {
            (keychain, keys) = (try WritePathKeychain(), try CircleTestKeys())
            member = CircleMember(keychain.engine.engine, keys)
        }
    }

    let first, second: Machine
    private(set) var slots: [(slot: SyncSlot, bytes: [UInt8])] = []

    /// - Parameter prepare: what there is before both belong to the circle.
    init(_ prepare: (_ first: WritePathKeychain, _ second: WritePathKeychain) throws -> Void = { _, _ in }) throws {
        (first, second) = (try Machine(), try Machine())
        try prepare(first.keychain, second.keychain)
        let genesis = SyncStatement.genesis(first.keys.own, random: BatchHash(Randomness.bytes(32)))
        let circle = CircleID(first.keys.hash(genesis.body).bytes)
        try first.member.enter(circle, as: first.keys.id)
        try first.member.perform { replica, _ in replica.state(genesis) }
        for _ in 0..<2 { try publish(first) }
        let addition = SyncStatement.add(Addition(second.keys.own))
        try second.member.enter(circle, as: second.keys.id)
        try first.member.perform { replica, _ in replica.state(addition) }
        try exchange()
    }

    /// Commits what a machine has to say.
    func publish(_ machine: Machine) throws {
        while let batch = try machine.member.perform({ replica, _ in replica.compose(machine.keys) }) {
            commit(batch)
            try machine.member.perform { replica, now in replica.confirm(now: now, machine.keys) }
        }
    }

    func commit(_ batch: SyncBatch) {
        guard let bytes = batch.bytes, !slots.contains(where: { $0.bytes == bytes }) else { return }
        #expect(!slots.contains { $0.slot == batch.slot })
        slots.append((batch.slot, bytes))
    }

    func pull(_ machine: Machine) throws {
        try machine.member.perform { [slots] replica, now in
            for (slot, bytes) in slots { _ = replica.receive(bytes, in: slot, now: now, machine.keys) }
        }
    }

    /// Both publish and read, until each has read what the other has read.
    func exchange() throws {
        for _ in 0..<2 {
            for machine in [first, second] { try publish(machine) }
            for machine in [first, second] { try pull(machine) }
        }
    }
}

extension WritePathKeychain {
    /// The values of the items for all machines, by account.
    func values() throws -> [String: String] {
        var builder = ItemRequestBuilder(.copyMatching)
        try builder.set("class", .string("genp"))
        for flag in ["r_Data", "r_Attributes", "sync"] { try builder.set(flag, .boolean(true)) }
        try builder.set("m_Limit", .string("m_LimitAll"))
        let items: [ItemResponse.Item]
        do throws(Refusal) { items = try engine.read(try builder.build()).items } catch {
            guard error.status == .itemNotFound else { throw error }
            return [:]
        }
        return items.reduce(into: [:]) { values, item in
            guard let account = item.attributes[.account]?.string else { return }
            values[account] = item.attributes[.valueData]?.string
        }
    }

    /// All of a column of the store, in order.
    func column(_ sql: String) throws -> [[UInt8]] {
        let database = try Database(path: "\(engine.folder)/keychain.db", sharing: .shared)
        let statement = try database.prepare(sql, "be read")
        var found: [[UInt8]] = []
        while try statement.step() { found.append(statement.withBlob(0) { $0.array(0, $0.count) }) }
        return found
    }

    /// The earlier versions that the keychain has.
    func versions() throws -> Int64? {
        guard try count("SELECT count(*) FROM sqlite_schema WHERE name = 'history'") == 1 else { return 0 }
        return try count("SELECT count(*) FROM history")
    }
}
