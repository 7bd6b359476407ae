import KeychainCrypto
import KeychainModel
import KeychainStore
import KeychainWire
import LinuxSystem

/// Seals and opens the records of shelves.
final class ShelfSealer {
    private let cipher: AESGCM
    private let mac: KeyedDigest
    private static let context = Array("shelf".utf8)
    private static let tombstone = Array("shelf gone".utf8)
    private static let info = Array("keychain shelves".utf8)

    init(_ indexKey: SecretBytes) throws(Refusal) {
        do throws(CryptoError) {
            let key = try indexKey.withSpan { (bytes) throws(CryptoError) in
                try HKDF.derive(from: bytes, salt: [UInt8]().span, info: Self.info.span, count: AESGCM.keySize)
            }
            cipher = try key.withSpan { (bytes) throws(CryptoError) in try AESGCM(key: bytes) }
            mac = try indexKey.withSpan { (bytes) throws(CryptoError) in try KeyedDigest(key: bytes) }
        } catch { throw .cryptography(error) }
    }

    func seal(_ shelf: KnownShelf) throws(Refusal) -> SealedShelf {
        let buffer = SecretBuffer(capacity: 512)
        for byte in [1, shelf.isOfOther ? 1 : 0, 0, 0] as [UInt8] { buffer.append(byte) }
        buffer.append(littleEndian: shelf.made)
        buffer.append(text: shelf.name)
        shelf.shelf.key.append(to: buffer)
        do throws(CryptoError) {
            let aad = Self.context + shelf.shelf.id.bytes
            let sealed = try buffer.withSpan { (bytes) throws(CryptoError) in try cipher.seal(bytes, aad: aad.span) }
            return SealedShelf(id: shelf.shelf.id, sealed: sealed)
        } catch { throw .cryptography(error) }
    }

    func seal(tombstoneOf id: ShelfID) throws(Refusal) -> SealedShelf {
        do throws(CryptoError) {
            let (nothing, aad) = ([UInt8](), Self.tombstone + id.bytes)
            return SealedShelf(id: id, sealed: try cipher.seal(nothing.span, aad: aad.span))
        } catch { throw .cryptography(error) }
    }

    /// - Throws: `errSecDecode` (`store.damaged`) for a tombstone that is not as it was written.
    func open(tombstone: SealedShelf) throws(Refusal) {
        try open(tombstone, aad: Self.tombstone, into: SecretBuffer(capacity: 0))
    }

    private func open(_ sealed: SealedShelf, aad context: [UInt8], into buffer: SecretBuffer) throws(Refusal) {
        let aad = context + sealed.id.bytes
        do throws(CryptoError) { try cipher.open(sealed.sealed.span, aad: aad.span, into: buffer) } catch {
            throw error == .authenticationFailed || error == .boxTooShort ? .damagedShelf : .cryptography(error)
        }
    }

    /// Whether somebody with the key has written the record, perhaps a later release.
    func isAuthentic(_ sealed: SealedShelf) throws(Refusal) -> Bool {
        try unlessDamaged { () throws(Refusal) in
            try open(sealed, aad: Self.context, into: SecretBuffer(capacity: 512))
        } != nil
    }

    /// - Throws: `errSecDecode` (`store.damaged`) for a record that is not as it was written.
    func open(_ sealed: SealedShelf) throws(Refusal) -> KnownShelf {
        let buffer = SecretBuffer(capacity: 512)
        try open(sealed, aad: Self.context, into: buffer)
        do throws(Refusal) { return try read(buffer.finish(), of: sealed.id) } catch { throw .damagedShelf }
    }

    private func read(_ record: SecretBytes, of id: ShelfID) throws(Refusal) -> KnownShelf {
        var reader = WireReader(record)
        let version = try reader.integer(UInt8.self)
        guard version == 1, let isOfOther = Self.flag(try reader.integer(UInt8.self)),
            try reader.integer(UInt16.self) == 0
        else { throw .damagedShelf }
        let (made, name) = (try reader.integer(Int64.self), try reader.text())
        let shelf = try Shelf(id: id, key: try SealedKey(from: &reader))
        return KnownShelf(shelf: shelf, name: name, made: made, isOfOther: isOfOther)
    }

    private static func flag(_ byte: UInt8) -> Bool? { byte < 2 ? byte == 1 : nil }

    /// The oldest shelf of a place that opens; nil when there is none.
    func first(at place: ShelfPlace, in reader: ShelfReader) throws(Refusal) -> KnownShelf? {
        var found: KnownShelf?
        try reader.shelves(at: try digest(of: place)) { (sealed) throws(Refusal) in
            let shelf = try unlessDamaged { () throws(Refusal) in try open(sealed) }
            // The digest is not bound to the record, which is.
            if let shelf, shelf.place == place, !shelf.isOfOther { found = shelf }
            return found == nil
        }
        return found
    }

    func digest(of place: ShelfPlace) throws(Refusal) -> ColumnDigest {
        let message = SecretBuffer(capacity: 512)
        for byte in Array("sh".utf8) { message.append(byte) }
        message.append(place.protection.rawValue)
        message.append(place.binding.accessibility.rawValue)
        message.append(littleEndian: place.binding.control)
        message.append(text: place.binding.group)
        message.append(text: place.name)
        do throws(CryptoError) {
            try message.withSpan { (span) throws(CryptoError) in try mac.update(span) }
            return try mac.finishShort()
        } catch { throw .cryptography(error) }
    }
}

extension Refusal {
    fileprivate static let damagedShelf = Refusal(
        .decode, .damaged, "shelf", "The record of a shelf in the store is not as it was written.",
        do: "Restore a backup that has the shelf, or a snapshot of the store. The files themselves may be whole.")
}
