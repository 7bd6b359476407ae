package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SyncFormat

extension EnclaveConnection {
    package func boxShelves(_ bodies: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes] {
        let answer = try exchange(
            EnclaveCalls.boxShelves, EmptyMessage(), CircleLists.write(bodies, of: records),
            CircleShelves.room(bodies))
        let boxes = try CircleShelves.read(answer, bodies.count).compactMap(\.self)
        guard boxes.count == bodies.count else { throw .malformed("the boxes of shelves") }
        return boxes
    }

    package func unboxShelves(_ boxes: [SecretBytes], of records: [BoxedRecord]) throws(Refusal) -> [SecretBytes?] {
        let answer = try exchange(
            EnclaveCalls.unboxShelves, EmptyMessage(), CircleLists.write(boxes, of: records),
            CircleShelves.room(boxes))
        return try CircleShelves.read(answer, boxes.count)
    }

    package func commitments(to shelves: [Shelf]) throws(Refusal) -> [[UInt8]?] {
        guard !shelves.isEmpty else { return [] }
        let answer = try exchange(
            EnclaveCalls.shelfCommitments, EmptyMessage(), CircleShelves.write(shelves: shelves),
            shelves.count * SyncShelf.commitmentSize)
        return try CircleShelves.read(commitments: answer, shelves.count)
    }
}
