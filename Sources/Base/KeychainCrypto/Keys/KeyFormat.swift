import COpenSSL
import KeychainModel
import LinuxSystem

/// How the keys of one type are made, written and read: Apple's external representations (semantics F.1).
protocol KeyFormat: Sendable {
    /// What OpenSSL calls keys of this type.
    var kind: String { get }
    /// The number by which OpenSSL knows the algorithm that PKCS#8 names for keys of this type.
    var algorithm: CInt { get }

    func generate(bits: Int) throws(CryptoError) -> KeyHandle
    /// Reads a key and holds its parts against each other.
    func decodePrivate(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle
    func decodePublic(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle
    func encodePrivate(_ key: KeyHandle) throws(CryptoError) -> SecretBytes
    func encodePublic(_ key: KeyHandle) throws(CryptoError) -> [UInt8]
    /// The size that programs know the key by.
    func bits(of key: KeyHandle) -> Int
}

extension KeyType {
    var format: any KeyFormat {
        switch self {
        case .rsa: RSAFormat()
        case .ecSECPrimeRandom: ECFormat()
        case .ed25519: RawFormat(kind: "ED25519", algorithm: NID_ED25519)
        case .x25519: RawFormat(kind: "X25519", algorithm: NID_X25519)
        }
    }

    /// The type of a key that OpenSSL has read; nil for keys that are not used here, such as those for RSA-PSS alone.
    static func of(_ key: KeyHandle) -> KeyType? { allCases.first { key.isA($0.format.kind) } }
}
