import COpenSSL
package import LinuxSystem

/// A file of keys and certificates encrypted with a passphrase (RFC 7292), read with OpenSSL.
package struct PKCS12: Sendable {
    /// A private key with the certificate that belongs to it.
    package struct Identity: Sendable {
        package let key: PrivateKey
        package let certificate: Certificate
        /// The name the file gives it (`friendlyName`).
        package let label: String?
        /// The identifier that links the pair in the file (`localKeyID`).
        package let keyID: [UInt8]?
    }

    /// A private key without a certificate in the file.
    package struct LoneKey: Sendable {
        package let key: PrivateKey
        package let label: String?
    }

    package let identities: [Identity]
    package let loneKeys: [LoneKey]
    /// All certificates of the file, in its order.
    package let certificates: [Certificate]

    package enum Failure: Error, Equatable, Sendable {
        /// The passphrase is wrong.
        case wrongPassphrase
        /// The bytes are not a PKCS#12 file, or are a damaged one.
        case malformed
        /// The passphrase is right, but this OpenSSL does not know the cipher, or has it in the legacy provider, which
        /// is missing.
        case unknownCipher(legacyIsMissing: Bool)
        /// A private key of an unsupported type or size.
        case unsupportedKey
        /// The file demands more work than the limit, or is larger.
        case tooLarge
    }

    /// Keys and certificates are small; larger files are not keychains.
    package static let mostBytes = 8 << 20
    /// The limit of safes and bags. The roots of a whole operating system are 150 bags; a key takes up to two
    /// milliseconds.
    package static let mostParts = 1024

    /// Loads OpenSSL's old ciphers from their file, for a process that is about to lose its files.
    package static func loadCiphers() { _ = PKCS12Library.shared }

    /// Decrypts a file.
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
        loneKeys = bags.loneKeys
    }
}

/// The content of a file's bags.
struct PKCS12Bags {
    struct Attributes {
        let label: String?
        let keyID: [UInt8]?
    }

    let isLegacyThere: Bool
    var certificates: [(certificate: Certificate, attributes: Attributes)] = []
    var keys: [(key: PrivateKey, attributes: Attributes)] = []

    /// Each key with the certificate for its public key. A key without one is not an identity, and a pair that occurs
    /// twice is listed once.
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

    /// Keys without a certificate, each once.
    var loneKeys: [PKCS12.LoneKey] {
        var seen = Set(certificates.map(\.certificate.publicKey))
        return keys.compactMap { key, attributes in
            guard seen.insert(key.publicKey.external()).inserted else { return nil }
            return PKCS12.LoneKey(key: key, label: attributes.label)
        }
    }
}

/// OpenSSL's algorithms for files of all ages. They have a separate library context, so that the program which loads
/// this library does not get RC2 as a side effect.
@safe final class PKCS12Library: Sendable {
    static let shared = PKCS12Library()

    // The context is never freed. OpenSSL guards it with its own locks.
    nonisolated(unsafe) let context: OpaquePointer?
    /// Whether RC2 and single DES are available.
    let hasLegacy: Bool

    private init() {
        unsafe context = OSSL_LIB_CTX_new()
        let standard = unsafe OSSL_PROVIDER_load(context, "default")
        hasLegacy = unsafe standard != nil && OSSL_PROVIDER_load(context, "legacy") != nil
        ERR_clear_error()
    }
}
