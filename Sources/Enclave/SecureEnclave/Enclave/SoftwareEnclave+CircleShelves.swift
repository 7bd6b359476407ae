package import EnclaveWire
import KeychainCrypto
package import KeychainModel
package import KeychainWire
package import LinuxSystem
import SyncFormat

/// Shelves on their way to other machines and from them: the keys are in the clear in a box of the circle, and under a
/// class key of this keychain outside. Daemons see neither.
extension SoftwareEnclave {
    package func boxShelves(_ bodies: [SecretBytes], of places: [BoxedRecord]) throws(Refusal) -> [SecretBytes] {
        var shelves: [SecretBytes] = []
        for body in bodies { shelves.append(try travelling(body)) }
        return try boxBodies(shelves, of: places, as: .shelf)
    }

    package func unboxShelves(
        _ boxes: [SecretBytes], of places: [BoxedRecord]
    ) throws(Refusal) -> [SecretBytes?] {
        var shelves: [SecretBytes?] = []
        for body in try unboxBodies(boxes, of: places, as: .shelf) {
            shelves.append(try unlessStrange(body) { (body) throws(Refusal) in try arrived(body) })
        }
        return shelves
    }

    package func commitments(to shelves: [Shelf]) throws(Refusal) -> [[UInt8]?] {
        var found: [[UInt8]?] = []
        for shelf in shelves {
            found.append(
                try unlessStrange(shelf) { (shelf) throws(Refusal) in
                    try commitment(to: shelf, try ownKeys(of: shelf))
                })
        }
        return found
    }

    // MARK: - One shelf

    /// - Returns: nil for no shelf, one that no machine sends, and one that does not open here.
    private func unlessStrange<Input, Result>(
        _ input: Input?, _ body: (Input) throws(Refusal) -> Result
    ) throws(Refusal) -> Result? {
        guard let input else { return nil }
        do throws(Refusal) { return try body(input) } catch {
            guard error.rule == Refusal.strangeShelf.rule || error.status == .decode else { throw error }
            return nil
        }
    }

    private func read(_ body: SecretBytes) throws(Refusal) -> (record: SyncShelf, shelf: Shelf) {
        guard let record = body.withSpan({ span in try? SyncShelf(decoding: span) }) else { throw .strangeShelf }
        let shelf = try Shelf(id: record.id, key: try SealedKey(decoding: record.key))
        guard shelf.travels else { throw .strangeShelf }
        return (record, shelf)
    }

    /// The keys of a shelf of this machine. Nobody has to be asked for one that travels. A shelf with another id than
    /// that of its keys stays: it is of an earlier release, or of a forged backup.
    private func ownKeys(of shelf: Shelf) throws(Refusal) -> ShelfKeys {
        guard shelf.travels else { throw .strangeShelf }
        let keys = try ShelfKeys(decoding: try openBox(of: shelf))
        guard try hasItsID(shelf, keys) else { throw .strangeShelf }
        return keys
    }

    private func hasItsID(_ shelf: Shelf, _ keys: ShelfKeys) throws(Refusal) -> Bool {
        try keys.id(shelf.protection, shelf.key.binding) == shelf.id
    }

    /// A commitment in a body counts for nothing: it is made here.
    private func travelling(_ body: SecretBytes) throws(Refusal) -> SecretBytes {
        let (record, shelf) = try read(body)
        let keys = try ownKeys(of: shelf)
        let inner = try keys.encoded().withSpan { $0.array(0, $0.count) }
        return record.with(try shelf.with(sealed: inner), try commitment(to: shelf, keys))
    }

    private func arrived(_ body: SecretBytes) throws(Refusal) -> SecretBytes {
        let (record, shelf) = try read(body)
        let keys = try ShelfKeys(decoding: SecretBytes(copying: shelf.key.sealed.span))
        // Files are wrapped to the public half: who opens them has to be who has the private one.
        guard keys.pair.publicKey.external() == shelf.key.publicKey, try hasItsID(shelf, keys),
            try commitment(to: shelf, keys) == record.commitment
        else { throw .strangeShelf }
        let own = try sealed(keys, as: shelf.id, shelf.protection, shelf.key.binding, in: nil)
        return record.with(own, record.commitment)
    }

    /// The hash of what is the same on all machines.
    private func commitment(to shelf: Shelf, _ keys: ShelfKeys) throws(Refusal) -> [UInt8] {
        try keys.digest("keychain sync 1: shelf", of: shelf.id.bytes + shelf.key.head)
    }
}

extension SyncShelf {
    fileprivate func with(_ shelf: Shelf, _ commitment: [UInt8]) -> SecretBytes {
        let bytes = SecretBytes(copying: shelf.key.bytes.span)
        return SyncShelf(id: id, made: made, name: name, commitment: commitment, key: bytes).encoded()
    }
}

extension Refusal {
    fileprivate static let strangeShelf = Refusal.malformed("a shelf of the circle")
}
