import KeychainCrypto
import KeychainModel
import LinuxSystem

/// Encrypts the content of a file that waits in memory while its class is locked. It never reaches a disk.
///
///     waiting = box(HKDF-SHA256(file key, salt file id, "keychain file 1: waiting"), no associated data, content)
struct WaitingContent {
    private let key: SecretBytes

    init(fileKey: SecretBytes, file: FileID) throws(FileError) {
        key = try FileKeys.derive(fileKey, file, "waiting")
    }

    func seal(_ content: Span<UInt8>) throws(FileError) -> [UInt8] {
        let cipher = try cipher()
        return try computing { () throws(CryptoError) in try cipher.seal(content, aad: Span()) }
    }

    /// Appends the content.
    ///
    /// - Throws: `FileError.damaged` for another key.
    func open(_ waiting: [UInt8], into content: SecretBuffer) throws(FileError) {
        let cipher = try cipher()
        try verifying(at: 0) { () throws(CryptoError) in
            try cipher.open(waiting.span, aad: Span(), into: content)
        }
    }

    private func cipher() throws(FileError) -> AESGCM {
        try computing { () throws(CryptoError) in
            try key.withSpan { (key) throws(CryptoError) in try AESGCM(key: key) }
        }
    }
}
