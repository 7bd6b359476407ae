package import SyncFormat

/// How far a log was read, and what its author has said there.
package struct LogHead: Sendable {
    /// The position of the last batch that was read; 0 before the first.
    package internal(set) var seq: UInt64 = 0
    package internal(set) var hash = BatchHash.none
    /// Of a log that a snapshot covers only the first half of the hash is known.
    var isHashWhole = true
    /// Later records of the author have larger stamps.
    package internal(set) var floor: UInt64 = 0
    /// The batches that the author has read, as it says in its batches, which are read in order.
    package internal(set) var said: [MemberID: UInt64] = [:]
    /// What is known of each batch, against which positions and snapshots are held.
    var marks: [UInt64: Mark] = [:]

    struct Mark: Sendable, Equatable {
        let hash: UInt128
        /// The floor that was stated by then.
        var floor: UInt64
    }

    package init() {}

    /// Whether a batch comes after the last one.
    func isFollowed(by header: SyncHeader) -> Bool {
        isHashWhole ? header.previous == hash : header.previous.short == hash.short
    }
}

/// Two things that cannot both be true: the author of a log has signed two batches for one place, or somebody says so.
package struct ForkEvidence: Hashable, Sendable {
    package let device: MemberID
    package let seq: UInt64
    /// The log that names another batch than the one that was read; the log itself where both are there.
    package let witness: MemberID
}
