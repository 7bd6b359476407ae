import COpenSSL
import KeychainModel
import LinuxSystem

/// Makes, writes and reads the keys of one type in Apple's external representations (rule keys.form.external).
protocol KeyFormat: Sendable {
    /// OpenSSL's name for keys of this type.
    var kind: String { get }
    /// OpenSSL's number for the algorithm that PKCS#8 names for keys of this type.
    var algorithm: CInt { get }

    func generate(bits: Int) throws(CryptoError) -> KeyHandle
    /// Reads a key and checks that its parts belong together.
    func decodePrivate(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle
    func decodePublic(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle
    func encodePrivate(_ key: KeyHandle) throws(CryptoError) -> SecretBytes
    func encodePublic(_ key: KeyHandle) throws(CryptoError) -> [UInt8]
    /// The size of the key as programs see it.
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

    /// The type of a key that OpenSSL has read; nil for unsupported keys, such as those for RSA-PSS alone.
    static func of(_ key: KeyHandle) -> KeyType? { allCases.first { key.isA($0.format.kind) } }
}
