import KeychainModel
import LinuxSystem

@testable import KeychainCrypto

extension KeyAlgorithm {
    static let ecdh = KeyAlgorithm(name: "algid:keyexchange:ECDH")!
    static let ed25519 = KeyAlgorithm(name: "algid:sign:EdDSA:message-Curve25519:SHA512")!
    static let ecdsa = KeyAlgorithm(name: "algid:sign:ECDSA:message-X962:SHA256")!
    static let ecies = KeyAlgorithm(name: "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM")!
}

extension PrivateKey {
    convenience init(external: [UInt8], type: KeyType) throws(CryptoError) {
        try self.init(external: external.span, type: type)
    }

    /// The key of a curve with this private number, read from PKCS#8 without the public point.
    convenience init(scalar: [UInt8], bits: Int) throws(CryptoError) {
        let objects: [Int: [UInt8]] = [
            256: [6, 8, 0x2a, 0x86, 0x48, 0xce, 0x3d, 3, 1, 7], 384: [6, 5, 0x2b, 0x81, 4, 0, 0x22],
            521: [6, 5, 0x2b, 0x81, 4, 0, 0x23],
        ]
        let size = (bits + 7) / 8
        let number = Array((Array(repeating: 0, count: size) + scalar).suffix(size))
        let key = der(0x30, [2, 1, 1] + der(4, number))
        let algorithm = der(0x30, [6, 7, 0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1] + (objects[bits] ?? []))
        try self.init(privateKeyInfo: der(0x30, [2, 1, 0] + algorithm + der(4, key)).span)
    }

    func sign(_ input: [UInt8], _ algorithm: KeyAlgorithm) throws(CryptoError) -> [UInt8] {
        try sign(input.span, algorithm)
    }

    func decrypt(
        _ input: [UInt8], _ algorithm: KeyAlgorithm, _ parameters: KeyParameters = KeyParameters()
    ) throws(CryptoError) -> [UInt8] {
        try decrypt(input.span, algorithm, parameters: parameters).array
    }
}

extension PublicKey {
    convenience init(external: [UInt8], type: KeyType) throws(CryptoError) {
        try self.init(external: external.span, type: type)
    }

    func verify(_ signature: [UInt8], of input: [UInt8], _ algorithm: KeyAlgorithm) throws(CryptoError) -> Bool {
        try verify(signature.span, of: input.span, algorithm)
    }

    func encrypt(
        _ input: [UInt8], _ algorithm: KeyAlgorithm, _ parameters: KeyParameters = KeyParameters()
    ) throws(CryptoError) -> [UInt8] {
        try encrypt(input.span, algorithm, parameters: parameters)
    }
}

extension PrivateKey {
    convenience init(privateKeyInfo: [UInt8]) throws(CryptoError) { try self.init(privateKeyInfo: privateKeyInfo.span) }
}

extension PublicKey {
    convenience init(subjectPublicKeyInfo: [UInt8]) throws(CryptoError) {
        try self.init(subjectPublicKeyInfo: subjectPublicKeyInfo.span)
    }
}

extension ECDSASignature {
    convenience init(x962: [UInt8]) throws(CryptoError) { try self.init(x962: x962.span) }
    convenience init(plain: [UInt8], bits: Int) throws(CryptoError) { try self.init(plain: plain.span, bits: bits) }
}

extension SecretBytes {
    var array: [UInt8] { withSpan { $0.array(0, $0.count) } }
}

/// One DER value: tag, length, content.
func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    let count = content.count
    let length: [UInt8] =
        switch count {
        case ..<128: [UInt8(count)]
        case ..<256: [0x81, UInt8(count)]
        default: [0x82, UInt8(count >> 8), UInt8(count & 255)]
        }
    return [tag] + length + content
}
