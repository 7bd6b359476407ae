package import SyncFormat

/// One machine's state of a circle: the heads of all logs, the rows, and the batches that wait. It does no work of its
/// own: a caller brings batches, the time and the keys, and keeps the state.
///
/// Each of its changes is one transaction of the store, which keeps the rows and what ``saved`` has. Batches may arrive
/// in any order and any number of times. Whatever the order, machines that have read the same batches have the same
/// rows.
package struct Replica<Rows: RowTable> {
    /// Why a batch was not read.
    package enum Verdict: Equatable, Sendable {
        /// It was read, or had been.
        case read
        /// It waits for another batch, for keys, or for the author to be added.
        case waits
        /// It can never be read as it is.
        case refused
        /// Its log is of a later version.
        case needsLaterVersion
    }

    /// Records ahead of the clock by more than this wait: 24 hours.
    package static var horizon: UInt64 { 24 * 3_600_000_000 }
    /// So many batches wait for each log, and bytes in all; others must be brought again.
    package static var waitingBatches: UInt64 { 4096 }
    package static var waitingBytes: Int { 16 << 20 }
    /// So many bytes of statements are kept of those others of each log, when they bring keys.
    static var apartBytes: Int { 256 << 10 }

    package let circle: CircleID
    package internal(set) var me: MemberID
    package internal(set) var membership: Membership
    package var rows: Rows
    package internal(set) var logs: [MemberID: LogHead] = [:]
    /// Contradictions. A log with evidence is not read further until its author is removed.
    package internal(set) var forks: Set<ForkEvidence> = []
    /// Authors of logs with evidence, that of others included, and those whose removal states it.
    package internal(set) var doubted: Set<MemberID> = []
    var statedForked: Set<MemberID> = []
    /// Records that the rules do not allow: how many of each author.
    package internal(set) var quarantined: [MemberID: Int] = [:]
    /// Logs that are of a later version.
    package internal(set) var later: Set<MemberID> = []
    /// Whether records were read since this machine last said what it has read.
    package internal(set) var hasNews = false
    /// The batch that is to be committed.
    package internal(set) var outgoing: Outgoing?

    var waiting: [MemberID: [UInt64: [SyncBatch]]] = [:]
    var waitingSize = 0
    /// Whether batches are kept and not read until ``readAll(now:_:)``.
    package var keepsBack = false
    /// Keys for this machine in the batches that wait.
    var sought: [GenerationID: [SyncBatch]] = [:]
    /// Batches for which there is no room, without their sealed parts: those that bring keys for this machine, or
    /// introduce somebody. Batches before them in their own logs may be sealed with these keys.
    var apart: [MemberID: [SyncBatch]] = [:]
    /// The batches that wait and introduce somebody; nil while nobody has asked for them.
    var introducing: [MemberID: [SyncBatch]]?
    /// The highest batch of each log that a counted batch names.
    var named: [MemberID: UInt64] = [:]
    /// The last batch of a log that is named and not read yet, by each that names it.
    var claims: [MemberID: [MemberID: SyncPosition]] = [:]
    /// Batches that remove somebody, and for which the keys had no room.
    var lacksRoom: [MemberID: UInt64] = [:]
    /// Whether the next batch repeats removals of equivocators: an enclave that has forgotten some for want of room
    /// signs none.
    package var repeatsRemovals = true
    var future: [ArrivedRow] = []
    /// Records that wait for the machine to be unlocked.
    var held: [WaitingRecord] = []
    /// The bytes of records that wait, by the author of their batch.
    var heldSize: [MemberID: Int] = [:]
    /// Batches that state something, without their sealed parts.
    var stating: [SyncBatch] = []
    /// The last snapshot of each member.
    package internal(set) var snapshots: [MemberID: Announced] = [:]
    /// The snapshots that each member has endorsed, the last ones.
    var endorsements: [MemberID: [SyncPosition]] = [:]
    /// The last snapshot that this machine has made or endorsed.
    var pledged: Announced?
    /// The last snapshot that every member has endorsed.
    package internal(set) var covered: Announced?
    /// The snapshot that this machine has started from.
    package internal(set) var base: Announced?
    /// The member that has paired with this machine, when it has started from a snapshot.
    var introducer: MemberID?
    /// Whether that member has made or endorsed the snapshot. Until then the machine publishes nothing, and shows
    /// nothing of it.
    package internal(set) var isTrusted = true
    /// Logs of which the transport shows less than was read, and the last batch that it shows.
    package internal(set) var rolledBack: [MemberID: UInt64] = [:]
    /// Since when batches of a log are named and not there.
    var missing: [MemberID: UInt64] = [:]
    var renames = Renames()
    /// The statements of the next batches.
    package internal(set) var queued: [SyncStatement] = []
    var mustPublish = false
    /// Tombstones to pass on, against older versions that somebody has passed on.
    var renewed: Set<RecordID> = []
    /// The largest stamp among the tombstones that every member has read, and those that are refused here.
    var risenFloor: UInt64 = 0
    /// The time when this machine last looked at what it has, in microseconds since 1970.
    var clock: UInt64 = 0
    package let rules: MergeRules

    /// A batch that was made and not yet kept by the transport.
    package struct Outgoing: Sendable {
        package let batch: SyncBatch
        /// The content of the batch without versions, which are in the rows.
        let content: SyncContent?
        let stamps: [RecordID: SyncStamp]
        /// Versions of others, with the places that they have had until now.
        let passed: [RecordID: SyncRecord.Origin]
        /// The parts of the snapshot that the batch announces. They are committed before it.
        package internal(set) var parts: [SnapshotPart] = []
    }

    package init(circle: CircleID, me: MemberID, rows: Rows, rules: MergeRules = .all) {
        (self.circle, self.me, self.rows, self.rules) = (circle, me, rows, rules)
        membership = Membership(rules.ofMembers)
    }

    /// Takes back statements that were asked for and that no batch has yet.
    package mutating func withdraw(_ isWithdrawn: (SyncStatement) -> Bool) { queued.removeAll(where: isWithdrawn) }

    /// Whether this machine has read nothing of its circle, and has not begun it.
    package var isFresh: Bool {
        let begins = queued.contains { if case .genesis = $0 { true } else { false } }
        return membership.members.isEmpty && outgoing == nil && !begins
    }

    /// Whether this machine is out.
    package var isRemoved: Bool { membership.removed.contains(me) }
    /// How many records wait because they are far ahead of the clock.
    package var futureCount: Int { future.count }
    /// How many records wait for the machine to be unlocked.
    package var heldCount: Int { held.count }
    /// The floor that this machine has stated.
    var myFloor: UInt64 { logs[me]?.floor ?? 0 }
    /// Stamps of this machine's changes are larger: the floor that it has stated, or is about to state.
    package var stampFloor: UInt64 { max(myFloor, risenFloor) }
}

extension Replica: Sendable where Rows: Sendable {}
