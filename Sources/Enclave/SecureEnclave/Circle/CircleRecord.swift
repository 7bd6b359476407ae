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
    /// Statements leave room for keys that are sought: without them a removal that makes room could not be read.
    static let statedBytes = mostBytes - 512
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

// MARK: - Little room

extension CircleRecord {
    /// Forgets what removed machines have filled the vault with, so that a machine in wrong hands can be removed
    /// however much it has stated. Keys whose authors are all out, or were never counted, go last: what is sealed with
    /// them can be read no more.
    mutating func makeRoom() {
        let present = membership.present
        let theirs = held.keys.filter { id in
            let authors = membership.generations[id]?.allAuthors ?? []
            return !authors.isEmpty && authors.allSatisfy { present[$0] == nil }
        }
        membership.forgetRemoved(keeping: Set(held.keys))
        names = names.filter { membership.present[$0.key] != nil }
        guard encoded().count > Self.statedBytes else { return }
        for id in theirs { held[id] = nil }
        membership.forgetRemoved(keeping: Set(held.keys))
    }
}

extension CircleRecord {
    /// Forgets keys of generations that no batch has stated or shared which counts. Where they are of use they are
    /// sought again.
    mutating func forgetSought(_ found: Set<GenerationID>) {
        for id in found where membership.generations[id]?.isSought != false {
            if membership.recipients(of: id).isEmpty { held[id] = nil }
        }
    }
}

// MARK: - The record key

extension CircleRecord {
    /// The members to which this machine owes that it belongs to the circle; itself alone, if it has begun the circle.
    private var sponsors: Set<MemberID> {
        if membership.introductions[own.id]?[.none] != nil { return [own.id] }
        var (found, rest): (Set<MemberID>, [MemberID]) = ([], Array(membership.sponsors(of: own.id)))
        while let one = rest.popLast() {
            if one != .none, found.insert(one).inserted { rest += membership.sponsors(of: one) }
        }
        return found
    }

    /// Whether a sponsor of this machine shares a generation with it, or has made it. One of them knows the circle's
    /// record key.
    func isVouched(_ generation: GenerationID, by author: MemberID = .none) -> Bool {
        let authors = membership.generations[generation]?.allAuthors ?? []
        return !sponsors.isDisjoint(with: authors.union([author]))
    }

    /// Forgets keys that came first, and are not the circle's.
    mutating func forgetKeys() { (recordKey, held) = ([], [:]) }
}
