import COpenSSL
package import LinuxSystem

/// A file of keys and certificates under a passphrase (RFC 7292), read with OpenSSL.
package struct PKCS12: Sendable {
    /// A private key with the certificate that belongs to it.
    package struct Identity: Sendable {
        package let key: PrivateKey
        package let certificate: Certificate
        /// The name the file gives it (`friendlyName`).
        package let label: String?
        /// What the file calls the pair by (`localKeyID`).
        package let keyID: [UInt8]?
    }

    package let identities: [Identity]
    /// All certificates of the file, in its order.
    package let certificates: [Certificate]

    package enum Failure: Error, Equatable, Sendable {
        /// The passphrase is not that of the file.
        case wrongPassphrase
        /// The bytes are no PKCS#12 file, or a damaged one.
        case malformed
        /// The passphrase is right, but this OpenSSL does not know the cipher, or has it in the legacy provider, which
        /// is missing.
        case unknownCipher(legacyIsMissing: Bool)
        /// A private key of a type or size that is not used here.
        case unsupportedKey
        /// The file asks for more work, or is larger, than any file has reason to be.
        case tooLarge
    }

    /// Keys and certificates are small; larger files are not keychains.
    package static let mostBytes = 8 << 20
    /// Passes over the passphrase, for all parts of a file together. The most that is met is 600,000 for each of three
    /// parts; more would let a file keep the reader busy for hours.
    package static let mostIterations = 5_000_000
    /// Safes and bags. The roots of a whole operating system are 150 bags; a key takes up to two milliseconds.
    package static let mostParts = 1024

    /// Opens a file.
    ///
    /// - Parameter passphrase: its UTF-8 bytes.
    /// - Throws: `Failure`.
    package init(_ bytes: Span<UInt8>, passphrase: SecretBytes) throws(Failure) {
        guard bytes.count <= Self.mostBytes else { throw .tooLarge }
        let file = try PKCS12File(bytes)
        var bags = PKCS12Bags(isLegacyThere: PKCS12Library.shared.hasLegacy)
        try file.read(passphrase, into: &bags)
        certificates = bags.certificates.map(\.certificate)
        identities = bags.identities
    }
}

/// What has been found in a file's bags.
struct PKCS12Bags {
    struct Attributes {
        let label: String?
        let keyID: [UInt8]?
    }

    let isLegacyThere: Bool
    var certificates: [(certificate: Certificate, attributes: Attributes)] = []
    var keys: [(key: PrivateKey, attributes: Attributes)] = []

    /// Each key with the certificate for its public key; a key without one is no identity, and a pair that the file has
    /// twice is one.
    var identities: [PKCS12.Identity] {
        var seen: Set<[UInt8]> = []
        return keys.compactMap { key, attributes in
            let external = key.publicKey.external()
            guard let found = certificates.first(where: { $0.certificate.publicKey == external }),
                seen.insert(external).inserted
            else { return nil }
            return PKCS12.Identity(
                key: key, certificate: found.certificate, label: attributes.label ?? found.attributes.label,
                keyID: attributes.keyID ?? found.attributes.keyID)
        }
    }
}

/// OpenSSL's algorithms for files of all ages. They are in a library context of their own: what the program that loads
/// us may use must not grow by RC2 because of us.
@safe final class PKCS12Library: Sendable {
    static let shared = PKCS12Library()

    // Never freed; OpenSSL guards it with locks of its own.
    nonisolated(unsafe) let context: OpaquePointer?
    /// Whether RC2 and single DES can be had.
    let hasLegacy: Bool

    private init() {
        unsafe context = OSSL_LIB_CTX_new()
        let standard = unsafe OSSL_PROVIDER_load(context, "default")
        hasLegacy = unsafe standard != nil && OSSL_PROVIDER_load(context, "legacy") != nil
        ERR_clear_error()
    }
}
