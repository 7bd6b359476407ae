package import KeychainCrypto
package import KeychainModel
package import LinuxSystem

// The wrapping of file keys: by a shelf, whose keys only an enclave has, and to recovery recipients.
extension FileSlot {
    private static let suite = HPKE(.x25519)
    private static let purpose = Array("keychain file 1: wrap".utf8)
    private static let publicPurpose = Array("keychain file 1: unless open".utf8)
    private static let recoveryPurpose = Array("keychain file 1: recovery".utf8)

    /// Wraps a file key under the shelf's secret key:
    ///
    ///     wrapped = box(wrap key, "keychain file 1: wrap" ‖ shelf id ‖ file id, file key)
    ///
    /// - Parameter wrapKey: 32 bytes.
    /// - Throws: `FileError.library`.
    package static func wrapping(
        _ fileKey: SecretBytes, of file: FileID, shelf: ShelfID, under wrapKey: SecretBytes
    ) throws(FileError) -> FileSlot {
        let aad = purpose + shelf.bytes + file.bytes
        let wrapped = try computing { () throws(CryptoError) in
            try wrapKey.withSpan { (wrapKey) throws(CryptoError) in
                let cipher = try AESGCM(key: wrapKey)
                return try fileKey.withSpan { (key) throws(CryptoError) in try cipher.seal(key, aad: aad.span) }
            }
        }
        return try FileSlot(checking: .shelf, shelf, wrapped)
    }

    /// Wraps a file key to the shelf's public key, by HPKE in base mode (DHKEM(X25519, HKDF-SHA256), HKDF-SHA256,
    /// AES-256-GCM) with the info "keychain file 1: unless open" and the associated data shelf id ‖ file id.
    ///
    /// - Throws: `FileError.library`, of `CryptoError.malformedKey` when the public key is not X25519's.
    package static func wrapping(
        _ fileKey: SecretBytes, of file: FileID, shelf: ShelfID, to publicKey: PublicKey
    ) throws(FileError) -> FileSlot {
        try wrapping(fileKey, of: file, .shelfPublic, shelf, to: publicKey, for: publicPurpose)
    }

    /// Wraps a file key to a recovery recipient: as to a shelf's public key, with the info "keychain file 1: recovery"
    /// and the recipient's id in place of the shelf's.
    ///
    /// - Throws: `FileError.library`, of `CryptoError.malformedKey` for a key that anybody shares.
    package static func wrapping(
        _ fileKey: SecretBytes, of file: FileID, for recipient: RecoveryRecipient
    ) throws(FileError) -> FileSlot {
        let id = recipient.id
        return try wrapping(fileKey, of: file, .recovery, id, to: recipient.publicKey, for: recoveryPurpose)
    }

    private static func wrapping(
        _ fileKey: SecretBytes, of file: FileID, _ kind: Kind, _ id: ShelfID, to publicKey: PublicKey,
        for purpose: [UInt8]
    ) throws(FileError) -> FileSlot {
        let aad = id.bytes + file.bytes
        let wrapped = try computing { () throws(CryptoError) in
            try fileKey.withSpan { (key) throws(CryptoError) in
                try suite.seal(content: key, to: publicKey, info: purpose.span, aad: aad.span)
            }
        }
        return try FileSlot(checking: kind, id, wrapped)
    }

    /// Unwraps what ``wrapping(_:of:shelf:under:)`` has made, with the shelf's secret key.
    ///
    /// - Returns: nil for a slot of another kind, or one that this key did not wrap for this shelf and file.
    /// - Throws: `FileError.library`.
    package func fileKey(of file: FileID, under wrapKey: SecretBytes) throws(FileError) -> SecretBytes? {
        guard kind == Kind.shelf.rawValue else { return nil }
        let aad = Self.purpose + shelf.bytes + file.bytes
        let key = SecretBuffer(capacity: FileKeys.fileKeySize)
        return try opened { () throws(CryptoError) in
            try wrapKey.withSpan { (wrapKey) throws(CryptoError) in
                try AESGCM(key: wrapKey).open(wrapped.span, aad: aad.span, into: key)
            }
            return key.finish()
        }
    }

    /// Unwraps what ``wrapping(_:of:shelf:to:)`` has made, with the shelf's private key. The caller must know that the
    /// shelf is of the class that takes such files: every shelf has a public key, and anybody can wrap to it.
    ///
    /// - Returns: nil for a slot of another kind, or one that was not wrapped to this key for this shelf and file.
    /// - Throws: `FileError.library`.
    package func fileKey(of file: FileID, with privateKey: PrivateKey) throws(FileError) -> SecretBytes? {
        try fileKey(of: file, .shelfPublic, with: privateKey, for: Self.publicPurpose)
    }

    /// Unwraps what ``wrapping(_:of:for:)`` has made. Anybody can wrap to a recipient: the slot says nothing of its
    /// author.
    ///
    /// - Returns: nil for a slot of another kind, or one that was not wrapped to this identity for this file.
    /// - Throws: `FileError.library`.
    package func fileKey(of file: FileID, by identity: RecoveryIdentity) throws(FileError) -> SecretBytes? {
        guard shelf == identity.recipient.id else { return nil }
        return try fileKey(of: file, .recovery, with: identity.privateKey, for: Self.recoveryPurpose)
    }

    private func fileKey(
        of file: FileID, _ expected: Kind, with privateKey: PrivateKey, for purpose: [UInt8]
    ) throws(FileError) -> SecretBytes? {
        guard kind == expected.rawValue else { return nil }
        let aad = shelf.bytes + file.bytes
        return try opened { () throws(CryptoError) in
            try Self.suite.open(message: wrapped.span, with: privateKey, info: purpose.span, aad: aad.span)
        }
    }

    private init(checking kind: Kind, _ shelf: ShelfID, _ wrapped: [UInt8]) throws(FileError) {
        guard wrapped.count == kind.wrappedSize else { throw .library(.invalidParameter) }
        self.init(kind: kind.rawValue, shelf: shelf, wrapped: wrapped)
    }

    private func opened(_ open: () throws(CryptoError) -> SecretBytes) throws(FileError) -> SecretBytes? {
        do throws(FileError) { return try verifying(at: 0, open) } catch {
            if case .damaged = error { return nil }
            throw error
        }
    }
}
