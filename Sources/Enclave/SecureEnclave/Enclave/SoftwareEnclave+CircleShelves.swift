package import EnclaveWire
import KeychainCrypto
package import KeychainModel
import KeychainWire
package import LinuxSystem
import SyncFormat

/// Shelves on their way to other machines and from them: the keys are in the clear in a box of the circle, and under a
/// class key of this keychain outside. Daemons see neither.
///
/// A shelf of this device only stays, and so does one whose user has to be asked: only this enclave can ask.
extension SoftwareEnclave {
    /// Puts shelves into boxes that other machines open. A commitment in a body counts for nothing: it is made here.
    package func boxShelves(_ bodies: [SecretBytes], of places: [BoxedRecord]) throws(Refusal) -> [SecretBytes] {
        var shelves: [SecretBytes] = []
        for body in bodies { shelves.append(try travelling(body)) }
        return try boxBodies(shelves, of: places, as: .shelf)
    }

    /// Takes shelves out of their boxes and seals them for this machine.
    ///
    /// - Returns: nil for what is no box of this place, and for a shelf that no machine sends.
    package func unboxShelves(
        _ boxes: [SecretBytes], of places: [BoxedRecord]
    ) throws(Refusal) -> [SecretBytes?] {
        var shelves: [SecretBytes?] = []
        for body in try unboxBodies(boxes, of: places, as: .shelf) {
            if let body { shelves.append(try taken(body)) } else { shelves.append(nil) }
        }
        return shelves
    }

    /// What the keys of shelves are known by to machines that compare them.
    package func commitments(toShelves bodies: [SecretBytes]) throws(Refusal) -> [[UInt8]] {
        var found: [[UInt8]] = []
        for body in bodies {
            let shelf = try shelf(in: body).shelf
            found.append(try ShelfKeys(decoding: try openBox(of: shelf)).commitment())
        }
        return found
    }

    // MARK: - One shelf

    private func shelf(in body: SecretBytes) throws(Refusal) -> (record: SyncShelf, shelf: Shelf) {
        guard let record = body.withSpan({ span in try? SyncShelf(decoding: span) }) else { throw .strangeShelf }
        var reader = WireReader(record.key)
        let shelf = try Shelf(from: &reader)
        guard reader.isAtEnd, shelf.id != .zero else { throw .strangeShelf }
        let binding = shelf.key.binding
        guard !binding.accessibility.isThisDeviceOnly, shelf.key.guardBinding == nil,
            !AccessControl.asksTheUser(binding.control)
        else { throw .strangeShelf }
        return (record, shelf)
    }

    private func travelling(_ body: SecretBytes) throws(Refusal) -> SecretBytes {
        let (record, shelf) = try shelf(in: body)
        let keys = try ShelfKeys(decoding: try openBox(of: shelf))
        let inner = try keys.encoded().withSpan { $0.array(0, $0.count) }
        return record.with(try shelf.with(sealed: inner), try keys.commitment())
    }

    /// - Returns: nil for a shelf that no machine sends.
    private func taken(_ body: SecretBytes) throws(Refusal) -> SecretBytes? {
        do { return try arrived(body) } catch {
            guard error.isOfShelf else { throw error }
            return nil
        }
    }

    private func arrived(_ body: SecretBytes) throws(Refusal) -> SecretBytes {
        let (record, shelf) = try shelf(in: body)
        let keys = try ShelfKeys(decoding: SecretBytes(copying: shelf.key.sealed.span))
        // Files are wrapped to the public half: who opens them has to be who has the private one.
        guard keys.pair.publicKey.external() == shelf.key.publicKey, try keys.commitment() == record.commitment else {
            throw .strangeShelf
        }
        let own = try seal(keys, as: shelf.id, shelf.protection, shelf.key.binding, in: nil)
        return record.with(own, record.commitment)
    }
}

extension SyncShelf {
    fileprivate func with(_ shelf: Shelf, _ commitment: [UInt8]) -> SecretBytes {
        let key = SecretBuffer(capacity: 512)
        shelf.append(to: key)
        return SyncShelf(attributes, commitment: commitment, key: key.finish()).encoded()
    }
}

extension ShelfKeys {
    /// The hash of both keys: they are random, so that nobody finds them by it.
    fileprivate func commitment() throws(Refusal) -> [UInt8] {
        let message = SecretBuffer(capacity: 128)
        message.append(Array("keychain sync 1: shelf".utf8).span)
        try encoded().withSpan { message.append($0) }
        do throws(CryptoError) {
            return try message.finish().withSpan { (span) throws(CryptoError) in try BatchHash(sha256: span).bytes }
        } catch { throw .crypto(error) }
    }
}

extension Refusal {
    fileprivate static let strangeShelf = Refusal.malformed("a shelf of the circle")
    /// Whether a shelf is wrong, and not this machine.
    fileprivate var isOfShelf: Bool { rule == Self.strangeShelf.rule || rule == Refusal.damagedKey.rule }
}
