internal import KeychainModel

/// An operation of a key with its exact parameters (Apple, `SecKeyAlgorithm`). [The reference](docs/reference.md) has a
/// table of all.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    let name: String

    /// Apple's identifier, such as `algid:sign:ECDSA:message-X962:SHA256`.
    public var rawValue: CFString { NSString(string: name) }

    /// Makes an algorithm of an identifier. No key supports an unknown one.
    public init(rawValue: CFString) { name = String(describing: rawValue) }

    /// Makes an algorithm of an identifier. No key supports an unknown one.
    public init(_ rawValue: CFString) { self.init(rawValue: rawValue) }

    /// The algorithm with the C constant `kSecKeyAlgorithm` and this suffix.
    init(constant: String) { name = KeyAlgorithm(constant: constant)?.name ?? constant }
}

/// Signatures with Ed25519 keys (RFC 8032), which hash the message themselves.
extension SecKeyAlgorithm {
    /// Ed25519 over a message. Apple's headers keep the name private.
    public static let edDSASignatureMessageCurve25519SHA512 = Self(constant: "EdDSASignatureMessageCurve25519SHA512")
}

/// The operation of a key.
public enum SecKeyOperationType: CFIndex, Sendable {
    /// Sign with the private key.
    case sign = 0
    /// Verify with the public key.
    case verify = 1
    /// Encrypt with the public key.
    case encrypt = 2
    /// Decrypt with the private key.
    case decrypt = 3
    /// Exchange keys: the private key with another's public one.
    case keyExchange = 4
}

extension KeyOperation {
    init(_ type: SecKeyOperationType) {
        self =
            switch type {
            case .sign: .sign
            case .verify: .verify
            case .encrypt: .encrypt
            case .decrypt: .decrypt
            case .keyExchange: .keyExchange
            }
    }
}
