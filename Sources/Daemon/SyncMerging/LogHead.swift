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
    /// Each batch as it was, against which positions and snapshots are held. Place 0 is before the first.
    var marks: [UInt64: Mark] = [:]

    struct Mark: Sendable {
        let hash: BatchHash
        /// The floor that was stated by then.
        var floor: UInt64
        /// The positions that have changed with this batch.
        var said: [MemberID: UInt64] = [:]
    }

    package init() {}

    /// The hash of one of its batches; nil when that batch is not known.
    package func hash(of seq: UInt64) -> BatchHash? { marks[seq]?.hash }

    /// The log as it is here, in the manifest of a snapshot.
    func covered(_ device: MemberID) -> SnapshotManifest.Log {
        SnapshotManifest.Log(device: device, seq: seq, hash: hash, floor: floor, said: said.inOrder)
    }

    /// The log as it was with one of its batches; nil when that batch is not known.
    func covered(_ device: MemberID, to seq: UInt64) -> SnapshotManifest.Log? {
        guard let mark = marks[seq] else { return nil }
        var said: [MemberID: UInt64] = [:]
        for earlier in marks where earlier.key <= seq { said.merge(earlier.value.said, uniquingKeysWith: max) }
        return SnapshotManifest.Log(device: device, seq: seq, hash: mark.hash, floor: mark.floor, said: said.inOrder)
    }

    /// A log of which all batches are known, or all since the snapshot that it goes on from.
    init(marks: [UInt64: Mark]) {
        self.marks = marks
        seq = marks.keys.max() ?? 0
        (hash, floor) = (marks[seq]?.hash ?? .none, marks[seq]?.floor ?? 0)
        for mark in marks.values { said.merge(mark.said, uniquingKeysWith: max) }
    }

    /// A log that goes on where a snapshot ends.
    init(_ log: SnapshotManifest.Log) {
        (seq, hash, floor) = (log.seq, log.hash, log.floor)
        said = Dictionary(log.said.map { ($0.device, $0.seq) }) { max($0, $1) }
        marks[seq] = Mark(hash: hash, floor: floor, said: said)
    }
}

extension [MemberID: UInt64] {
    fileprivate var inOrder: [SyncRecord.Origin] {
        sorted { $0.key < $1.key }.map { SyncRecord.Origin(device: $0.key, seq: $0.value) }
    }
}

/// Two things that cannot both be true: the author of a log has signed two batches for one place, or somebody says so.
package struct ForkEvidence: Hashable, Sendable {
    package let device: MemberID
    package let seq: UInt64
    /// The log that names another batch than the one that was read; the log itself where both are there.
    package let witness: MemberID
}
