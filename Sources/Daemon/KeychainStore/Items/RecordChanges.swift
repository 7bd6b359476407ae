package import KeychainModel

/// Where the record of an item or of a shelf is in a store. A shelf has its id for a primary key.
package struct RecordPlace: Hashable, Sendable {
    package let recordClass: RecordClass
    package let primaryKey: [UInt8]

    package init(_ recordClass: RecordClass, primaryKey: [UInt8]) {
        (self.recordClass, self.primaryKey) = (recordClass, primaryKey)
    }

    package init(itemClass: ItemClass, primaryKey: [UInt8]) { self.init(.item(itemClass), primaryKey: primaryKey) }

    package init(_ shelf: ShelfID) { self.init(.shelf, primaryKey: shelf.bytes) }

    /// The class of an item; nil for a shelf.
    package var itemClass: ItemClass? { if case .item(let itemClass) = recordClass { itemClass } else { nil } }

    /// The id of a shelf; nil for an item.
    package var shelf: ShelfID? { recordClass == .shelf ? ShelfID(primaryKey.span) : nil }
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

    mutating func note(at place: RecordPlace) {
        guard !isIncomplete else { return }
        places.insert(place)
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
