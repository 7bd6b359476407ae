package import KeychainModel

/// The class of a record: that of an item, or a shelf.
package enum RecordClass: Hashable, Sendable {
    case item(ItemClass)
    case shelf

    /// The number in the store, and in the circle.
    package var number: UInt8 {
        switch self {
        case .item(let itemClass): itemClass.rawValue
        case .shelf: ShelfID.classNumber
        }
    }

    /// The table with the rows.
    var table: String {
        switch self {
        case .item(let itemClass): itemClass.code
        case .shelf: "shelf"
        }
    }
}
