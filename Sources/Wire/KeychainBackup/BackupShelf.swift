import KeychainModel
package import KeychainWire
package import LinuxSystem

/// A shelf of a part. Its keys are in a box of their own, which enclaves alone open (``ShelfBox``).
///
///     record = length:u32 6:u8 isOfOther:u8 0:u16 id:16 made:i64 name:text sealedKey      ; length: of what follows it
///
/// `isOfOther` is 1 for a shelf that came from another machine of a circle, which takes no new files, and otherwise 0.
/// The sealed key is that of the store (docs/formats/store.md, section 16), without a binding of its access control.
package struct BackupShelf: Sendable {
    /// The shelf as it was sealed for the backup.
    package let shelf: Shelf
    package let name: String
    /// Seconds since 2001.
    package let made: Int64
    /// Whether it came from another machine of a circle.
    package let isOfOther: Bool

    package init(_ shelf: Shelf, name: String, made: Int64, isOfOther: Bool = false) {
        (self.shelf, self.name, self.made, self.isOfOther) = (shelf, name, made, isOfOther)
    }

    private static let headBytes = 4

    package func append(to buffer: SecretBuffer) {
        let start = buffer.count
        buffer.append(littleEndian: 0 as UInt32)
        buffer.append(BackupClass.shelf.number)
        buffer.append(isOfOther ? 1 : 0 as UInt8)
        buffer.append(littleEndian: 0 as UInt16)
        buffer.append(shelf.id.bytes.span)
        buffer.append(littleEndian: made)
        buffer.append(text: name)
        shelf.key.append(to: buffer)
        buffer.overwrite(littleEndian: UInt32(buffer.count - start - Self.headBytes), at: start)
    }

    /// Reads what follows the first four bytes of a record.
    init(isOfOther: Bool, from reader: inout WireReader) throws(Refusal) {
        self.isOfOther = isOfOther
        let id = try reader.shelfID()
        (made, name) = (try reader.integer(Int64.self), try reader.text())
        shelf = try Shelf(id: id, key: try SealedKey(from: &reader))
        guard reader.isAtEnd, name.utf8.count <= ShelfPlace.nameBytes else { throw .malformed("a shelf of a backup") }
    }
}
