package import KeychainModel
package import LinuxSystem
package import SyncFormat

/// A keychain in its circle, for people and programs to look at.
///
///     status  = circle:16 me:16 keys:130 place:text isPaused:u8 standing:u8 problem:text looked:i64 committed:i64
///               unsent:u64 future:u64 held:u64 unopened:u64 items:u64 count:u32 *machine
///     machine = id:16 name:text flags:u16 seq:u64 heard:i64 quarantined:u64
///
/// Times are seconds since 1970, and 0 for never.
package struct SyncStatus: Equatable, Sendable {
    /// Where this machine stands in its circle.
    package enum Standing: UInt8, Sendable, CaseIterable {
        /// Nobody has added it yet.
        case waitsToBeAdded = 1
        case isIn = 2
        /// Another machine has removed it.
        case isRemoved = 3
        /// The place has other batches in its name: the machine was cloned, or its keychain restored. It sends nothing.
        case isDoubled = 4
    }

    package let circle: CircleID
    package let me: MemberID
    /// The public keys of this machine, which another adds: signing, agreement.
    package let keys: MemberKeys
    package let place: String
    package var isPaused = false
    package var standing = Standing.isIn
    /// Why the transport did not work at the last look; empty when it did.
    package var problem = ""
    /// When the transport was looked at last, and when it has kept something of this machine's.
    package var looked: Int64 = 0
    package var committed: Int64 = 0
    /// Changes that other machines have not got.
    package var unsent: UInt64 = 0
    /// Records that wait because they are far ahead of the clock, and those that wait for an unlocked machine.
    package var future: UInt64 = 0
    package var held: UInt64 = 0
    /// Items and shelves whose records are damaged here. Because of them no snapshot was made, or none endorsed.
    package var unopened: UInt64 = 0
    /// Items that all machines of the circle can read.
    package var items: UInt64 = 0
    /// By ascending identifier, removed ones among them.
    package var machines: [Machine] = []

    package init(circle: CircleID, me: MemberID, keys: MemberKeys, place: String) {
        (self.circle, self.me, self.keys, self.place) = (circle, me, keys, place)
    }

    /// A machine or a recovery key of the circle.
    package struct Machine: Equatable, Sendable {
        /// Facts about it, a bit each.
        package struct Flags: OptionSet, Sendable {
            package let rawValue: UInt16
            package init(rawValue: UInt16) { self.rawValue = rawValue }

            package static let isRecoveryKey = Flags(rawValue: 1)
            package static let isRemoved = Flags(rawValue: 2)
            /// Others have read batches of it that have not come here for a day.
            package static let isBehind = Flags(rawValue: 4)
            /// It writes what only a later release reads.
            package static let needsLaterVersion = Flags(rawValue: 8)
            /// There are two batches of it for one place.
            package static let isForked = Flags(rawValue: 16)
            /// The transport shows less of it than was read before.
            package static let isRolledBack = Flags(rawValue: 32)
            /// Slots of it cannot be read.
            package static let isUnreadable = Flags(rawValue: 64)

            /// It was added or removed here, and the circle was never told: that is to be done once more.
            package static let isUnpublished = Flags(rawValue: 128)
            /// It has not said yet that it has read of each removal.
            package static let hasNotHeard = Flags(rawValue: 256)
            /// Another machine has added it, and this one's user was not shown it since.
            package static let isNew = Flags(rawValue: 512)

            /// Those that a reader knows.
            fileprivate static let all = Flags(rawValue: 1023)
        }

        package let id: MemberID
        /// Empty while it cannot be read.
        package let name: String
        package var flags: Flags = []
        /// The last batch of it that was read, and when.
        package var seq: UInt64 = 0
        package var heard: Int64 = 0
        /// Records of it that are against the rules and were not taken.
        package var quarantined: UInt64 = 0

        package init(id: MemberID, name: String) { (self.id, self.name) = (id, name) }
    }

    package func append(to buffer: SecretBuffer) {
        for bytes in [circle.bytes, me.bytes, keys.bytes] { buffer.append(bytes.span) }
        buffer.append(text: place.cut(to: WireLimits.nameBytes))
        buffer.append([isPaused ? 1 : 0, standing.rawValue].span)
        buffer.append(text: problem.cut(to: SyncView.problemBytes))
        for time in [looked, committed] { buffer.append(littleEndian: time) }
        for number in [unsent, future, held, unopened, items] { buffer.append(littleEndian: number) }
        buffer.append(littleEndian: UInt32(machines.count))
        for machine in machines { machine.append(to: buffer) }
    }

    package init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            circle: try reader.identifier(CircleID.self), me: try reader.identifier(MemberID.self),
            keys: try MemberKeys(from: &reader), place: try reader.name())
        isPaused = try reader.flag()
        guard let standing = Standing(rawValue: try reader.integer(UInt8.self)) else {
            throw .malformed("a machine's standing in its circle")
        }
        (self.standing, problem) = (standing, try reader.text(atMost: SyncView.problemBytes))
        (looked, committed) = (try reader.integer(Int64.self), try reader.integer(Int64.self))
        (unsent, future) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        (held, unopened) = (try reader.integer(UInt64.self), try reader.integer(UInt64.self))
        items = try reader.integer(UInt64.self)
        for _ in 0..<(try reader.integer(UInt32.self)) { machines.append(try Machine(from: &reader)) }
    }
}

extension SyncStatus.Machine {
    fileprivate func append(to buffer: SecretBuffer) {
        buffer.append(id.bytes.span)
        buffer.append(text: name)
        buffer.append(littleEndian: flags.rawValue)
        buffer.append(littleEndian: seq)
        buffer.append(littleEndian: heard)
        buffer.append(littleEndian: quarantined)
    }

    fileprivate init(from reader: inout WireReader) throws(Refusal) {
        self.init(id: try reader.identifier(MemberID.self), name: try reader.name())
        flags = Flags(rawValue: try reader.integer(UInt16.self))
        guard flags.isSubset(of: .all) else { throw .malformed("the flags of a machine") }
        (seq, heard) = (try reader.integer(UInt64.self), try reader.integer(Int64.self))
        quarantined = try reader.integer(UInt64.self)
    }
}

extension MemberKeys {
    /// - Throws: `errSecParam` (`wire.malformed`) for what are no two points.
    init(from reader: inout WireReader) throws(Refusal) {
        self.init(
            signing: try reader.array(MemberKeys.pointSize), agreement: try reader.array(MemberKeys.pointSize))
        guard signing[0] == 4, agreement[0] == 4 else { throw .malformed("the keys of a machine") }
    }
}
