package import KeychainModel

/// Where the record of an item is in a store.
package struct RecordPlace: Hashable, Sendable {
    package let itemClass: ItemClass
    package let primaryKey: [UInt8]

    package init(itemClass: ItemClass, primaryKey: [UInt8]) {
        (self.itemClass, self.primaryKey) = (itemClass, primaryKey)
    }
}

/// The records of the circle that this connection has written, for somebody who keeps in memory what the store says of
/// them.
///
/// A record whose change was undone is among them too: it is read again, and is as it was.
struct RecordChanges {
    /// So many are listed; after more all are read again.
    private static let most = 16_384

    private var places: Set<RecordPlace> = []
    /// Whether records may have changed that are not listed.
    private var isIncomplete = false
    /// How often the list was taken.
    private var number: UInt64 = 0

    mutating func note(key primaryKey: [UInt8], of itemClass: ItemClass) {
        guard !isIncomplete else { return }
        places.insert(RecordPlace(itemClass: itemClass, primaryKey: primaryKey))
        if places.count > Self.most { noteAll() }
    }

    mutating func noteAll() { (places, isIncomplete) = ([], true) }

    /// Takes the list, and begins another.
    mutating func take(since moment: RecordMoment?, version: Int64) -> (Set<RecordPlace>?, RecordMoment) {
        let isWhole = moment == RecordMoment(number: number, version: version) && !isIncomplete
        let found = isWhole ? places : nil
        (places, isIncomplete, number) = ([], false, number + 1)
        return (found, RecordMoment(number: number, version: version))
    }
}

/// A moment at which somebody has read the records of a store.
package struct RecordMoment: Equatable, Sendable {
    let number: UInt64
    /// SQLite's number of the commits of other connections.
    let version: Int64
}
