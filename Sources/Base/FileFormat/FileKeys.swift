import KeychainCrypto
package import KeychainModel
package import LinuxSystem

/// The keys that the file key derives: the file key itself is used for nothing else.
///
///     x key = HKDF-SHA256(file key, salt file id, "keychain file 1: " ‖ x)
package struct FileKeys: Sendable {
    /// The number of bytes of a file key.
    package static let fileKeySize = 32

    let header: SecretBytes
    let chunks: SecretBytes

    /// - Parameter fileKey: 32 bytes.
    /// - Throws: `FileError.library` for a key of another size, or when the library refuses.
    package init(fileKey: SecretBytes, file: FileID) throws(FileError) {
        guard fileKey.count == Self.fileKeySize else { throw .library(.invalidParameter) }
        header = try Self.derive(fileKey, file, "header")
        chunks = try Self.derive(fileKey, file, "chunks")
    }

    static func derive(
        _ fileKey: SecretBytes, _ file: FileID, _ purpose: String
    ) throws(FileError) -> SecretBytes {
        let info = Array("keychain file 1: \(purpose)".utf8)
        return try computing { () throws(CryptoError) in
            try fileKey.withSpan { (key) throws(CryptoError) in
                try HKDF.derive(from: key, salt: file.bytes.span, info: info.span, count: 32)
            }
        }
    }
}
