import KeychainEngine
import KeychainModel
import KeychainStore
import SyncFormat

/// The content of a row of the store, for its record.
enum RowContent {
    case body(Body)
    /// A row that does not open, or an item that stays on its machine.
    case nothing
    /// A shelf that stays on its machine.
    case stays
    /// Its class is closed.
    case locked

    enum Body {
        case item(CircleItem)
        case shelf(CircleShelf)
        case deletedShelf(ShelfID)
    }
}

extension RowContent.Body {
    /// When it was changed, in microseconds since 1970, where no record says so.
    var modified: UInt64 {
        switch self {
        case .item(let item): item.modified
        // The records of shelves say it.
        case .shelf, .deletedShelf: 1
        }
    }

    func record(hlc: UInt64, _ ties: SyncItem.Ties) -> SyncRecord {
        switch self {
        case .item(let item): SyncRecord(item, hlc: hlc, ties)
        case .shelf(let shelf): SyncRecord(shelf, hlc: hlc)
        case .deletedShelf(let id): SyncRecord(deletedShelf: id, hlc: hlc)
        }
    }
}

extension CircleItems {
    /// Opens what is at these places, in their order.
    func contents(of places: [RecordPlace]) throws(Refusal) -> [RowContent] {
        var items = try items(at: places.filter { $0.itemClass != nil })[...]
        var shelves = try shelves(places.compactMap(\.shelf))[...]
        return places.map { place in
            if place.itemClass != nil { return items.popFirst().map(RowContent.init) ?? .nothing }
            // No shelf was asked for where the id is none.
            guard place.shelf != nil else { return .nothing }
            return shelves.popFirst().map { RowContent($0, place) } ?? .nothing
        }
    }
}

extension RowContent {
    fileprivate init(_ found: CircleItems.Found) {
        switch found {
        case .item(let item): self = .body(.item(item))
        case .nothing: self = .nothing
        case .locked: self = .locked
        }
    }

    fileprivate init(_ found: CircleItems.FoundShelf, _ place: RecordPlace) {
        switch found {
        case .shelf(let shelf): self = .body(.shelf(shelf))
        case .stays: self = .stays
        case .deleted: self = place.shelf.map { .body(.deletedShelf($0)) } ?? .nothing
        case .nothing: self = .nothing
        case .locked: self = .locked
        }
    }
}
