import SyncFormat

/// Items that have taken another primary key, in what is read at one time.
struct Renames {
    /// The records that items say they were before.
    private var previous: [RecordID: RecordID] = [:]
    /// Whether records were items before what is read now.
    private var wasItem: [RecordID: Bool] = [:]

    /// The records that are items now, or were, under another primary key, in an order that is the same each time.
    var takers: [RecordID] { previous.keys.sorted() }

    /// A version is about to take the place of what is there.
    mutating func note(_ rid: RecordID, isItem: Bool) { if wasItem[rid] == nil { wasItem[rid] = isItem } }

    mutating func add(_ rid: RecordID, previous: RecordID?) { if let previous { self.previous[rid] = previous } }

    /// The record that a machine knows an item by which it has read a name of. An item may have been renamed several
    /// times in what is read now: the names between are nobody's.
    func source(of rid: RecordID, _ isItem: (RecordID) -> Bool) -> RecordID? {
        var (found, seen) = (previous[rid], Set([rid]))
        while let name = found, !wasItem(name, isItem), let earlier = previous[name], seen.insert(name).inserted {
            found = earlier
        }
        return found == rid ? nil : found
    }

    /// Whether an item may take the name of another record. It does so once: a tombstone whose name was taken before
    /// has one that nobody knows.
    func mayTake(_ rid: RecordID, from source: RecordID, _ isItem: (RecordID) -> Bool) -> Bool {
        wasItem(source, isItem) || !wasItem(rid, isItem)
    }

    private func wasItem(_ rid: RecordID, _ isItem: (RecordID) -> Bool) -> Bool { wasItem[rid] ?? isItem(rid) }
}
