import COpenSSL
package import KeychainModel
import LinuxSystem

/// A public key. It verifies and encrypts. Any thread may use it.
package final class PublicKey: Sendable {
    package let type: KeyType
    /// The bits of the modulus or of the field.
    package let bits: Int
    let handle: KeyHandle
    private let bytes: [UInt8]

    /// Reads a key in Apple's external representation: PKCS#1, 04 ‖ X ‖ Y, or 32 bytes (rule keys.form.external).
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, or for trailing bytes; `.unsupportedKeySize`,
    ///   `.libraryFailure`.
    package init(external: Span<UInt8>, type: KeyType) throws(CryptoError) {
        let format = type.format
        handle = try format.decodePublic(external)
        self.type = type
        bits = format.bits(of: handle)
        bytes = external.array(0, external.count)
    }

    /// Reads a key from a certificate: DER `SubjectPublicKeyInfo` (RFC 5280, 4.1.2.7) with a named curve and an
    /// uncompressed point.
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, or for trailing bytes; `.unsupportedKeySize`,
    ///   `.libraryFailure`.
    package convenience init(subjectPublicKeyInfo: Span<UInt8>) throws(CryptoError) {
        let read = try unsafe decodedKey(subjectPublicKeyInfo) { unsafe d2i_PUBKEY(nil, &$0, $1) }
        guard let type = KeyType.of(read) else { throw .malformedKey }
        let external = try type.format.encodePublic(read)
        try self.init(external: external.span, type: type)
        guard try isWritten(as: subjectPublicKeyInfo) else { throw .malformedKey }
    }

    // Excludes compressed points, curves given by their parameters and encodings that are not DER.
    private func isWritten(as bytes: Span<UInt8>) throws(CryptoError) -> Bool {
        let written = try subjectPublicKeyInfo()
        return written.span.isEqual(to: bytes)
    }

    /// Apple's external representation.
    package func external() -> [UInt8] { bytes }

    /// DER `SubjectPublicKeyInfo` (RFC 5280, 4.1.2.7).
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func subjectPublicKeyInfo() throws(CryptoError) -> [UInt8] {
        try unsafe encoded { unsafe i2d_PUBKEY(handle.reference, &$0) }
    }

    /// The value of `kSecAttrApplicationLabel` of the pair: SHA-1 of the external representation (rule
    /// keys.attributes.label).
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func applicationLabel() throws(CryptoError) -> [UInt8] {
        let external = bytes
        return try Digest.of(external.span, .sha1)
    }
}
