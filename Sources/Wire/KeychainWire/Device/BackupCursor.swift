package import KeychainModel
import LinuxSystem

/// How far the walk of a backup has come: the items of each class in turn, then the shelves.
///
///     cursor = class:u8 row:i64 | 6:u8 id:16
package enum BackupCursor: Equatable, Sendable {
    /// The items of a class behind this row.
    case items(ItemClass, after: Int64)
    /// The shelves behind this id, of which zeros are the first.
    case shelves(after: ShelfID)

    /// The beginning of the walk.
    package static let start = items(ItemClass.stored[0], after: 0)

    /// Where the walk goes on when all items of a class were looked at.
    package static func following(_ itemClass: ItemClass) -> BackupCursor {
        let next = ItemClass.stored.drop { $0 != itemClass }.dropFirst().first
        return next.map { .items($0, after: 0) } ?? .shelves(after: .zero)
    }

    func append(to buffer: SecretBuffer) {
        switch self {
        case .items(let itemClass, let row):
            buffer.append(itemClass.rawValue)
            buffer.append(littleEndian: row)
        case .shelves(let id):
            buffer.append(BackupClass.shelf.number)
            buffer.append(id.bytes.span)
        }
    }

    init(from reader: inout WireReader) throws(Refusal) {
        switch try BackupClass(from: &reader) {
        case .item(let itemClass): self = .items(itemClass, after: try reader.integer(Int64.self))
        case .shelf: self = .shelves(after: try reader.shelfID())
        }
    }
}
