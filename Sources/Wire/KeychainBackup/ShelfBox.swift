package import KeychainCrypto
import KeychainModel
package import KeychainWire
package import LinuxSystem

/// The box in which the keys of a shelf travel: enclaves alone seal and open it.
///
///     box = box(key(`shelf`, id), proof:32 3:u8 id:16 head, wrapKey:32 x25519:32)
///
/// The head of the shelf's key is bound to its private part here, as it is in a store.
package struct ShelfBox: Sendable {
    private let shelf: Shelf
    private let aad: [UInt8]

    private static let kind: UInt8 = 3

    /// - Parameter proof: of the header of the backup.
    package init(of shelf: Shelf, in proof: [UInt8]) {
        self.shelf = shelf
        aad = proof + [Self.kind] + shelf.id.bytes + shelf.key.head
    }

    /// Seals the private part of the shelf.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func seal(_ privatePart: SecretBytes, under keys: BackupKeys) throws(CryptoError) -> [UInt8] {
        try keys.key(of: shelf.id).withSpan { (key) throws(CryptoError) in
            let cipher = try AESGCM(key: key)
            return try privatePart.withSpan { (part) throws(CryptoError) in try cipher.seal(part, aad: aad.span) }
        }
    }

    /// Opens the box that the shelf's key has in place of its private part.
    ///
    /// - Throws: `CryptoError.authenticationFailed`, `.boxTooShort` for a box that was not sealed for this shelf.
    package func open(under keys: BackupKeys) throws(CryptoError) -> SecretBytes {
        let part = SecretBuffer(capacity: shelf.key.sealed.count)
        try keys.key(of: shelf.id).withSpan { (key) throws(CryptoError) in
            try AESGCM(key: key).open(shelf.key.sealed.span, aad: aad.span, into: part)
        }
        return part.finish()
    }
}
