import KeychainModel
import KeychainWire
import LinuxSystem
import SyncFormat

/// The circle in a vault. Keys are boxes under class keys.
///
/// Members, removals and generations are what verified statements say; who is in follows from them (``Membership``).
/// A removal is kept without the place of its batch, on which its effect does not depend.
struct CircleRecord: Sendable {
    /// A private key of this machine, as its ``EnclaveKeyStore`` needs it, in a box under `ck`.
    struct OwnKeys: Sendable {
        let keys: MemberKeys
        let id: MemberID
        let backend: SealedKey.Backend
        let signing: [UInt8]
        let agreement: [UInt8]
    }

    /// The keys of a generation that are here.
    struct Held: Sendable {
        /// The number that its commitment has.
        let number: UInt32
        /// Kc, in a box under `ck`.
        let common: [UInt8]
        var unlocked: Unlocked
    }

    /// Ka: in a box under `ak`; or in the share in which it came while the machine was locked.
    enum Unlocked: Sendable {
        case boxed([UInt8])
        case waiting(KeyShare)
    }

    /// More than a user's circle ever has; with it the vault stays below the size that every release reads.
    static let mostBytes = 48 << 10
    /// A key of 32 bytes in a box.
    static let boxBytes = 60

    let circle: CircleID
    /// Random bytes of the genesis; none where this machine did not begin it.
    let random: BatchHash
    let own: OwnKeys
    /// In a box under `ck`; empty before the first share.
    var recordKey: [UInt8] = []
    var membership = Membership()
    /// The names of machines, in boxes under `ck`.
    var names: [MemberID: [UInt8]] = [:]
    var held: [GenerationID: Held] = [:]

    init(_ circle: CircleID, random: BatchHash, _ own: OwnKeys) {
        (self.circle, self.random, self.own) = (circle, random, own)
    }

    /// Whether this machine was removed.
    var isRemoved: Bool { membership.removed.contains(own.id) }
    /// Whether this machine's own batches count.
    var isIn: Bool { membership.members[own.id] != nil && !isRemoved }
}
