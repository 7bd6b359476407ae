package import KeychainCrypto
import KeychainModel
package import LinuxSystem

/// The keys of one backup: a random file key, and one key for each box.
///
///     key(purpose)        = HKDF-SHA256: input the file key, salt the header's, 32 bytes,
///                           info `keychain backup 1: ` purpose
///     key(purpose, index) = the same, info `keychain backup 1: ` purpose index:u32
///     key(`shelf`, id)    = the same, info `keychain backup 1: shelf` id:16
package struct BackupKeys: Sendable {
    package static let keyBytes = 32
    package static let saltBytes = 32

    let fileKey: SecretBytes
    package let salt: [UInt8]

    /// Makes the keys of a new backup.
    package init() {
        fileKey = SecretBytes(count: Self.keyBytes)
        fileKey.withMutableSpan { Randomness.fill(&$0) }
        salt = Randomness.bytes(Self.saltBytes)
    }

    init(fileKey: SecretBytes, salt: [UInt8]) { (self.fileKey, self.salt) = (fileKey, salt) }

    /// The key of the box of a frame, which seals nothing else.
    package func key(of box: BackupBox.Place) throws(CryptoError) -> SecretBytes {
        try key(box.purpose + (0..<4).map { UInt8(truncatingIfNeeded: box.index >> (8 * $0)) })
    }

    /// The key of the box in which a shelf's keys are.
    func key(of shelf: ShelfID) throws(CryptoError) -> SecretBytes { try key(Array("shelf".utf8) + shelf.bytes) }

    /// The code of a header, which shows that it is that of this file key.
    func proof(of header: [UInt8]) throws(CryptoError) -> [UInt8] {
        let key = try key(Array("header".utf8))
        let code = try key.withSpan { (key) throws(CryptoError) in
            try KeyedDigest(key: key).digest(header.span)
        }
        return code.span.array(0, KeyedDigest.size)
    }

    private func key(_ purpose: [UInt8]) throws(CryptoError) -> SecretBytes {
        try Self.derive(from: fileKey, salt: salt, purpose)
    }

    static func derive(
        from key: SecretBytes, salt: [UInt8], _ purpose: [UInt8]
    ) throws(CryptoError) -> SecretBytes {
        let info = Array("keychain backup 1: ".utf8) + purpose
        return try key.withSpan { (key) throws(CryptoError) in
            try HKDF.derive(from: key, salt: salt.span, info: info.span, count: keyBytes)
        }
    }
}
