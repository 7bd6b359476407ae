package import SyncFormat

/// How far a log was read, and what its author has said there.
package struct LogHead: Sendable {
    /// The position of the last batch that was read; 0 before the first.
    package internal(set) var seq: UInt64 = 0
    package internal(set) var hash = BatchHash.none
    /// Later records of the author have larger stamps.
    package internal(set) var floor: UInt64 = 0
    /// The batches that the author has read, as it says in its batches, which are read in order.
    package internal(set) var said: [MemberID: UInt64] = [:]
    /// The hashes of earlier batches, against which positions are held.
    var hashes: [UInt64: UInt128] = [:]

    package init() {}
}

/// Two things that cannot both be true: the author of a log has signed two batches for one place, or somebody says so.
package struct ForkEvidence: Hashable, Sendable {
    package let device: MemberID
    package let seq: UInt64
    /// The log that names another batch than the one that was read; the log itself where both are there.
    package let witness: MemberID
}
