import SyncFormat

/// Batches that are to be counted, whose authors may be introduced by later ones.
///
/// A batch is given once, and once more for each member that it waits for and that is introduced. Anybody can make up
/// batches that wait for many: what waits in several lists must not come into any of them twice.
struct BatchQueue {
    private let batches: [SyncBatch]
    /// The places of those that are next, the last one first.
    private var next: [Int]
    /// The batches that wait for a member, each also in the lists of others.
    private var waiting: [MemberID: [Int]] = [:]
    private var haveWaited: Set<Int> = []

    init(_ batches: [SyncBatch]) { (self.batches, next) = (batches, batches.indices.reversed()) }

    /// Takes the next batch; nil at the end.
    mutating func take() -> (place: Int, batch: SyncBatch)? { next.popLast().map { ($0, batches[$0]) } }

    /// Has a batch come again when one of these members was introduced. Those of the first call count.
    mutating func put(_ place: Int, until members: some Sequence<MemberID>) {
        guard haveWaited.insert(place).inserted else { return }
        for id in members { waiting[id, default: []].append(place) }
    }

    /// A member was introduced.
    mutating func note(_ member: MemberID) { next += (waiting.removeValue(forKey: member) ?? []).reversed() }
}
