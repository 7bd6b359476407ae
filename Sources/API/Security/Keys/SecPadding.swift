internal import KeychainModel

/// The padding of the older functions for keys (Apple, `SecPadding`); empty for none.
public struct SecPadding: OptionSet, Sendable {
    /// Apple's number.
    public let rawValue: UInt32

    /// Makes a padding of its number.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// PKCS #1 v1.5 around the given bytes; for elliptic curve keys a signature over the given digest.
    public static let PKCS1 = Self(rawValue: 1)
    /// OAEP with SHA-1, for encryption.
    public static let OAEP = Self(rawValue: 2)
    /// r ‖ s instead of DER, for signatures with elliptic curve keys.
    public static let sigRaw = Self(rawValue: 0x4000)
    /// PKCS #1 v1.5 over an MD2 digest. Supported by no key.
    public static let PKCS1MD2 = Self(rawValue: 0x8000)
    /// PKCS #1 v1.5 over an MD5 digest.
    public static let PKCS1MD5 = Self(rawValue: 0x8001)
    /// PKCS #1 v1.5, or X9.62, over a SHA-1 digest.
    public static let PKCS1SHA1 = Self(rawValue: 0x8002)
    /// PKCS #1 v1.5, or X9.62, over a SHA-224 digest.
    public static let PKCS1SHA224 = Self(rawValue: 0x8003)
    /// PKCS #1 v1.5, or X9.62, over a SHA-256 digest.
    public static let PKCS1SHA256 = Self(rawValue: 0x8004)
    /// PKCS #1 v1.5, or X9.62, over a SHA-384 digest.
    public static let PKCS1SHA384 = Self(rawValue: 0x8005)
    /// PKCS #1 v1.5, or X9.62, over a SHA-512 digest.
    public static let PKCS1SHA512 = Self(rawValue: 0x8006)
}

extension SecPadding {
    private static let hashes: [SecPadding: HashFunction] = [
        .PKCS1MD5: .md5, .PKCS1SHA1: .sha1, .PKCS1SHA224: .sha224, .PKCS1SHA256: .sha256, .PKCS1SHA384: .sha384,
        .PKCS1SHA512: .sha512,
    ]

    /// The signing algorithm of this padding; nil when the padding does not fit the key.
    func signature(_ type: KeyType) -> KeyAlgorithm? {
        let input = Self.hashes[self].map { KeyAlgorithm.SignedInput.digest($0) }
        switch (type, self) {
        case (.rsa, []): return KeyAlgorithm(.signature(.rsaRaw, of: .bytes))
        case (.rsa, .PKCS1): return KeyAlgorithm(.signature(.rsaPKCS1, of: .bytes))
        case (.rsa, _): return input.flatMap { KeyAlgorithm(.signature(.rsaPKCS1, of: $0)) }
        case (.ecSECPrimeRandom, []), (.ecSECPrimeRandom, .PKCS1):
            return KeyAlgorithm(.signature(.ecdsaX962, of: .bytes))
        case (.ecSECPrimeRandom, .sigRaw): return KeyAlgorithm(.signature(.ecdsaRFC4754, of: .bytes))
        case (.ecSECPrimeRandom, _): return input.flatMap { KeyAlgorithm(.signature(.ecdsaX962, of: $0)) }
        default: return nil
        }
    }

    /// The encryption algorithm of this padding; nil when there is none.
    var encryption: KeyAlgorithm? {
        switch self {
        case []: KeyAlgorithm(.encryption(.rsaRaw))
        case .PKCS1: KeyAlgorithm(.encryption(.rsaPKCS1))
        case .OAEP: KeyAlgorithm(.encryption(.rsaOAEP(.sha1)))
        default: nil
        }
    }
}

extension SecPadding: Hashable {}
