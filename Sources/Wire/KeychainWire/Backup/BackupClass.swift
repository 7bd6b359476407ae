package import KeychainModel

/// The class of a record in a backup: that of an item, or a shelf, whose number is behind those of all items.
package enum BackupClass: Hashable, Sendable {
    case item(ItemClass)
    case shelf

    /// The number in files and messages.
    package var number: UInt8 {
        switch self {
        case .item(let itemClass): itemClass.rawValue
        case .shelf: ShelfID.classNumber
        }
    }

    /// - Returns: nil for a number that no record has.
    package init?(number: UInt8) {
        if number == ShelfID.classNumber {
            self = .shelf
        } else if let itemClass = ItemClass(rawValue: number), ItemClass.stored.contains(itemClass) {
            self = .item(itemClass)
        } else {
            return nil
        }
    }

    /// The value of `kSecClass`, or `shelf`.
    package var name: String {
        switch self {
        case .item(let itemClass): itemClass.code
        case .shelf: "shelf"
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        guard let found = Self(number: try reader.integer(UInt8.self)) else { throw .malformed("a class") }
        self = found
    }
}
