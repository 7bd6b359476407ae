import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// Somebody who opens files without the keychain: the public half of an X25519 key, as age writes it (`age1…`).
package struct RecoveryRecipient: Hashable, Sendable {
    /// The first 16 bytes of the SHA-256 of the public key, by which slots name the recipient.
    package let id: ShelfID
    /// The public key.
    package let bytes: [UInt8]
    private static let name = "age"

    /// The size of a public key in bytes.
    package static let size = 32
    /// The most that a file can have.
    package static let most = FileHeader.mostSlots - 1

    /// Reads a recipient; nil for a text that is none.
    package init?(text: String) {
        let key = Array(text.utf8)
        guard let bytes = Bech32.decode(key.span, name: Self.name) else { return nil }
        self.init(bytes.withSpan { $0.array(0, $0.count) })
    }

    /// Takes a public key; nil for another number of bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.size, let digest = try? Digest.sha256(bytes.span),
            let id = ShelfID(digest.span.extracting(..<ShelfID.size))
        else { return nil }
        (self.id, self.bytes) = (id, bytes)
    }

    /// The recipient as age writes it.
    package var text: String {
        Bech32.encode(bytes.span, name: Self.name).withSpan { String(decoding: $0.array(0, $0.count), as: UTF8.self) }
    }

    var publicKey: PublicKey {
        get throws(FileError) {
            try computing { () throws(CryptoError) in try PublicKey(external: bytes.span, type: .x25519) }
        }
    }
}

/// The private half of a ``RecoveryRecipient``, as age writes it (`AGE-SECRET-KEY-1…`).
package struct RecoveryIdentity: Sendable {
    static let keySize = 32
    private static let name = "age-secret-key-"

    package let recipient: RecoveryRecipient
    let privateKey: PrivateKey

    /// Makes a new one.
    ///
    /// - Throws: `FileError.library`.
    package init() throws(FileError) {
        try self.init(try computing { () throws(CryptoError) in try PrivateKey.generate(.x25519, bits: 256) })
    }

    /// Reads an identity.
    ///
    /// - Throws: `FileError.noIdentity` for a text that is none; `.library`.
    package init(text: Span<UInt8>) throws(FileError) {
        guard let bytes = Bech32.decode(text, name: Self.name), bytes.count == Self.keySize else { throw .noIdentity }
        try self.init(
            try computing { () throws(CryptoError) in
                try bytes.withSpan { (bytes) throws(CryptoError) in try PrivateKey(external: bytes, type: .x25519) }
            })
    }

    init(_ key: PrivateKey) throws(FileError) {
        guard let recipient = RecoveryRecipient(key.publicKey.external()) else { throw .library(.malformedKey) }
        (privateKey, self.recipient) = (key, recipient)
    }

    /// The identity as age writes it: in capitals.
    ///
    /// - Throws: `FileError.library`.
    package func text() throws(FileError) -> SecretBytes {
        let bytes = try computing { () throws(CryptoError) in try privateKey.external() }
        let small = bytes.withSpan { Bech32.encode($0, name: Self.name) }
        let text = SecretBuffer(capacity: small.count)
        small.withSpan { small in
            for place in small.indices {
                let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(small[place])
                text.append(isLetter ? small[place] & ~0x20 : small[place])
            }
        }
        return text.finish()
    }

    /// The file key that a header has for this identity; nil when none of its slots opens.
    ///
    /// - Throws: `FileError.library`.
    package func fileKey(of header: FileHeader) throws(FileError) -> SecretBytes? {
        for slot in header.recoverySlots {
            if let key = try slot.fileKey(of: header.file, by: self) { return key }
        }
        return nil
    }
}
