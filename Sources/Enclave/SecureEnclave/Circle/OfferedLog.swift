import SyncFormat

/// A log as a place shows it, in segments that have no hole.
///
/// Anybody may have written a batch, so that several can follow one another's predecessor. All of them stay: nobody can
/// forge one that a real batch follows.
struct OfferedLog {
    /// A batch by its place and its hash.
    struct Place: Hashable {
        /// Before the first batch of a log.
        static let start = Place(seq: 0, hash: .none)

        let seq: UInt64
        let hash: BatchHash
    }

    /// Batches that follow from one that may not be here.
    struct Segment {
        let root: Place
        /// Those that state something, without their sealed parts.
        fileprivate(set) var stating: [SyncBatch] = []
        /// The last ones that have a sealed part.
        fileprivate(set) var last: [SyncBatch] = []
    }

    /// Whole batches of a segment. Besides real ones there can be sixteen others at one place.
    private static let most = 20
    /// Bytes of these: the last one stays whatever its size.
    private static let lastBytes = 4 << 20

    private(set) var segments: [Segment] = []
    /// The segments of batches that are here, and of those that are followed.
    private var members: [Place: Int] = [:]
    private var roots: [Place: Int] = [:]

    private static func size(_ batches: [SyncBatch]) -> Int { batches.reduce(0) { $0 + ($1.sealed?.count ?? 0) } }

    /// Whether a batch is here.
    func has(_ header: SyncHeader, _ hash: BatchHash) -> Bool {
        members[Place(seq: header.seq, hash: hash)] != nil
    }

    /// - Returns: the segment of a batch.
    mutating func enter(_ header: SyncHeader, _ hash: BatchHash) -> Int {
        let place = Place(seq: header.seq, hash: hash)
        if let known = members[place] { return known }
        let before = Place(seq: header.seq - 1, hash: header.previous)
        let segment = members[before] ?? roots[before] ?? segments.count
        if segment == segments.count {
            roots[before] = segment
            segments.append(Segment(root: before))
        }
        members[place] = segment
        return segment
    }

    /// Keeps a batch for what it states.
    mutating func keep(stating batch: SyncBatch, in segment: Int) { segments[segment].stating.append(batch) }

    /// Keeps a whole batch, in place of the oldest of its segment.
    ///
    /// - Returns: how many bytes that takes; negative where it gives some back.
    mutating func keep(last batch: SyncBatch, in segment: Int) -> Int {
        var last = segments[segment].last
        guard !last.contains(batch) else { return 0 }
        let before = Self.size(last)
        last.append(batch)
        while last.count > Self.most || last.count > 1 && Self.size(last) > Self.lastBytes { last.removeFirst() }
        segments[segment].last = last
        return Self.size(last) - before
    }

    /// Forgets whole batches of a segment.
    ///
    /// - Returns: how many bytes that takes: none or fewer.
    mutating func forgetLast(in segment: Int) -> Int {
        defer { segments[segment].last = [] }
        return -Self.size(segments[segment].last)
    }

    /// The segments in which nothing is missing since the log's first batch, or since the end of what is known
    /// otherwise.
    func whole(since end: Place?) -> [Segment] {
        let below = Dictionary(grouping: segments.indices) { members[segments[$0].root] ?? -1 }
        var next = segments.indices.filter { segments[$0].root == .start || segments[$0].root == end }
        if let end, let known = members[end] { next.append(known) }
        var found: Set<Int> = []
        while let one = next.popLast() {
            if found.insert(one).inserted { next += below[one] ?? [] }
        }
        return found.sorted().map { segments[$0] }
    }
}
