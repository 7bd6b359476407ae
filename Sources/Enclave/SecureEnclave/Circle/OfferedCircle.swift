import SyncFormat

/// A circle as a place shows it.
struct OfferedCircle {
    var logs: [MemberID: OfferedLog] = [:]
    var snapshots = OfferedSnapshots()

    /// All that is stated somewhere, whatever is missing between.
    var stating: [SyncBatch] {
        logs.sorted { $0.key < $1.key }.flatMap { $0.value.segments }.flatMap(\.stating) + snapshots.carried
    }

    /// The logs as far as they may be believed: nothing is missing since their first batches, or since the last that a
    /// snapshot covers.
    func whole(since snapshot: OfferedSnapshot?) -> WholeLogs {
        var found = WholeLogs(carried: snapshot?.carried ?? [])
        for (device, log) in logs.sorted(by: { $0.key < $1.key }) {
            let segments = log.whole(since: snapshot?.ends[device])
            found.stating += segments.flatMap(\.stating).sorted { $0.header.seq < $1.header.seq }
            found.last[device] = segments.flatMap(\.last)
        }
        return found
    }
}

/// Logs without holes.
struct WholeLogs {
    /// The batches that a snapshot has of them.
    let carried: [SyncBatch]
    /// The batches that state something.
    var stating: [SyncBatch] = []
    /// The last whole batches.
    var last: [MemberID: [SyncBatch]] = [:]
}

/// A snapshot whose parts are all here.
struct OfferedSnapshot {
    /// The batch that announces it.
    let position: SyncPosition
    /// The last batch that it covers of each log.
    let ends: [MemberID: OfferedLog.Place]
    /// The batches that state something, as far as it covers them.
    let carried: [SyncBatch]

    /// - Returns: nil when the batch does not announce it, or a part is not here. No two parts are the same: a list of
    ///   one part many times would have its batches counted as often.
    init?(_ manifest: SnapshotManifest, in batch: SyncBatch, _ hash: BatchHash, _ offered: OfferedSnapshots) {
        let (device, seq) = (batch.header.device, batch.header.seq)
        position = SyncPosition(device: device, seq: seq, hash: hash.short)
        ends = manifest.logs.filter { $0.seq > 0 }
            .reduce(into: [:]) { $0[$1.device] = OfferedLog.Place(seq: $1.seq, hash: $1.hash) }
        let before = OfferedLog.Place(seq: seq - 1, hash: batch.header.previous)
        guard (ends[device] ?? .start) == before, Set(manifest.parts.map(\.hash)).count == manifest.parts.count else {
            return nil
        }
        var carried: [SyncBatch] = []
        for wanted in manifest.parts {
            guard let part = offered.parts[wanted.hash], part.place == .init(batch.header) else { return nil }
            carried += part.carried
        }
        self.carried = carried
    }

    /// How many batches it covers.
    var covered: UInt64 { ends.values.reduce(0) { $0 &+ $1.seq } }
}

/// Parts of snapshots, and whole batches that may announce these.
struct OfferedSnapshots {
    struct Place: Hashable {
        let device: MemberID
        let seq: UInt64

        init(_ header: SyncHeader) { (device, seq) = (header.device, header.seq) }
    }

    struct Part {
        let place: Place
        /// The batches that it carries.
        let carried: [SyncBatch]
    }

    /// By their hashes, which a manifest has.
    private(set) var parts: [BatchHash: Part] = [:]
    /// The batches at each place that a part belongs to.
    private(set) var announcing: [Place: [(batch: SyncBatch, hash: BatchHash)]] = [:]

    /// The batches that all parts carry.
    var carried: [SyncBatch] { parts.values.flatMap(\.carried) }

    mutating func keep(part header: SyncHeader, _ carried: [SyncBatch], _ hash: BatchHash) {
        let place = Place(header)
        parts[hash] = Part(place: place, carried: carried)
        if announcing[place] == nil { announcing[place] = [] }
    }

    /// Whether a batch may announce parts that are here, and is not here itself.
    func lacks(_ batch: SyncBatch) -> Bool {
        announcing[Place(batch.header)]?.contains { $0.batch == batch } == false
    }

    mutating func keep(announcing batch: SyncBatch, _ hash: BatchHash) {
        announcing[Place(batch.header)]?.append((batch, hash))
    }
}
