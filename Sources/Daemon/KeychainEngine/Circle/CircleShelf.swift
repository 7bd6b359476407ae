import EnclaveWire
package import KeychainModel
import KeychainStore
import KeychainWire
package import LinuxSystem

/// A shelf as it travels between the machines of a circle, with its keys sealed for this one: without owner.
///
/// It holds that the shelf may travel. The enclave has looked at what comes from another machine.
package struct CircleShelf: Sendable {
    let known: KnownShelf
    /// The bytes that machines compare shelves by.
    package let commitment: [UInt8]

    /// Takes what another machine has sent and the enclave has sealed.
    ///
    /// - Returns: nil for what is no shelf that may travel.
    package init?(id: ShelfID, key: SecretBytes, name: String, made: Int64, commitment: [UInt8]) {
        guard let key = try? SealedKey(decoding: key), let shelf = try? Shelf(id: id, key: key), shelf.travels,
            name.utf8.count <= ShelfPlace.nameBytes
        else { return nil }
        self.init(KnownShelf(shelf: shelf, name: name, made: made), commitment: commitment)
    }

    init(_ known: KnownShelf, commitment: [UInt8]) { (self.known, self.commitment) = (known, commitment) }

    package var id: ShelfID { known.shelf.id }
    package var name: String { known.name }
    /// Seconds since 2001.
    package var made: Int64 { known.made }
    /// The sealed key of the store.
    package var key: SecretBytes { SecretBytes(copying: known.shelf.key.bytes.span) }
}

/// The shelves of a keychain for the machines of its circle.
extension CircleItems {
    /// A shelf or a tombstone, opened.
    package enum FoundShelf {
        case shelf(CircleShelf)
        case deleted
        /// A shelf that stays on its machine.
        case stays
        /// One that does not open, one whose id is not that of its keys, and none at all.
        case nothing
        /// Its class is closed.
        case locked
    }

    /// Opens shelves or their tombstones. The enclave is asked once for what machines compare them by.
    package func shelves(_ ids: [ShelfID]) throws(Refusal) -> [FoundShelf] {
        var (found, travelling): ([FoundShelf], [KnownShelf]) = ([], [])
        var places: [Int] = []
        for id in ids {
            if let known = try shelves.travelling(id, in: store) {
                places.append(found.count)
                travelling.append(known)
                found.append(.locked)
            } else {
                found.append(try staying(id))
            }
        }
        guard let commitments = try commitments(to: travelling.map(\.shelf)) else { return found }
        for (place, (known, commitment)) in zip(places, zip(travelling, commitments)) {
            found[place] = commitment.map { .shelf(CircleShelf(known, commitment: $0)) } ?? .nothing
        }
        return found
    }

    private func staying(_ id: ShelfID) throws(Refusal) -> FoundShelf {
        if try shelves.stays(id, in: store) { return .stays }
        return try shelves.isDeleted(id, in: store) ? .deleted : .nothing
    }

    /// Whether a shelf is there, whatever it is.
    package func isThere(_ shelf: ShelfID) throws(Refusal) -> Bool { try store.shelves.shelf(shelf) != nil }

    /// Whether a shelf is there whose record is damaged. Another that comes with its id is the same one, as it was.
    package func isDamaged(_ shelf: ShelfID) throws(Refusal) -> Bool { try shelves.isDamaged(shelf, in: store) }

    /// How many more shelves of other machines the keychain takes.
    package func roomForShelves() throws(Refusal) -> Int64 {
        ShelfLimits.all - (try store.countShelvesOfOthers())
    }

    /// - Returns: nil while the class of one is closed.
    private func commitments(to shelves: [Shelf]) throws(Refusal) -> [[UInt8]?]? {
        do throws(Refusal) { return try sealer.enclave.commitments(to: shelves) } catch {
            guard error.status == .interactionNotAllowed else { throw error }
            return nil
        }
    }

    /// Puts a shelf in. One that is here with its id keeps its keys: with others its files would not open any more. One
    /// whose record is damaged gets them back.
    package func put(_ shelf: CircleShelf) throws(Refusal) { try shelves.keep(arrived: shelf.known, in: store) }

    /// Deletes a shelf that was deleted on another machine, for good: no history has it.
    package func delete(_ shelf: ShelfID) throws(Refusal) { try shelves.bury(shelf, in: store) }

    /// Removes a tombstone that nobody needs any more.
    package func removeTombstone(of shelf: ShelfID) throws(Refusal) {
        try store.dropTombstone(of: shelf)
        try store.forgetRecord(RecordPlace(shelf))
    }
}
