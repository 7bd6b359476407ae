import KeychainCrypto
import KeychainModel
import KeychainWire
import LinuxSystem

@testable import SecureEnclave

extension KeyBinding {
    /// A binding that lets the key be used.
    static func test(
        _ accessibility: Accessibility = .whenUnlocked, group: String = "TEST.group",
        control: UInt64 = AccessControl.privateKeyUsage
    ) -> KeyBinding { KeyBinding(group: group, accessibility: accessibility, control: control) }
}

extension KeyUse {
    /// A signature of a message.
    static let signature = KeyUse(KeyAlgorithm.messageX962.name, Array("message".utf8))

    /// A decryption of something short that was encrypted for the key.
    static func decryption(for key: SealedKey) throws -> KeyUse {
        let algorithm = KeyAlgorithm.all.first { $0.name == "algid:encrypt:ECIES:ECDH:KDFX963:SHA256:AESGCM" }
        guard let algorithm else { throw CryptoError.unsupportedAlgorithm }
        let publicKey = try PublicKey(external: key.publicKey.span, type: .ecSECPrimeRandom)
        return KeyUse(algorithm.name, try publicKey.encrypt([1, 2, 3].span, algorithm))
    }
}

extension KeyAlgorithm {
    static let messageX962 = all.first { $0.name == "algid:sign:ECDSA:message-X962:SHA256" } ?? all[0]

    /// The input of the algorithm for a message: the message, its digest, or a block for a key of this size.
    func input(for message: [UInt8], bits: Int = 256) throws -> [UInt8] {
        guard case .signature(let signature, of: let input) = construction else { return message }
        switch (signature, input) {
        case (_, .message), (.ed25519, .bytes): return message
        case (_, .digest(let hash)): return try Digest.of(message.span, hash)
        case (.rsaRaw, .bytes): return [0] + [UInt8](repeating: 9, count: bits / 8 - 1)
        case (_, .bytes): return try Digest.of(message.span, .sha256)
        }
    }
}

extension SealedKey {
    /// Whether the public half verifies the signature.
    func verifies(_ signature: [UInt8], _ input: [UInt8], _ algorithm: KeyAlgorithm) throws -> Bool {
        guard let type = KeyType(number: keyType) else { return false }
        return try PublicKey(external: publicKey.span, type: type).verify(signature.span, of: input.span, algorithm)
    }
}

extension SecretBytes {
    var bytes: [UInt8] { withSpan { $0.array(0, $0.count) } }
}

extension Array where Element: Equatable {
    /// Whether `part` occurs in it.
    func contains(_ part: ArraySlice<Element>) -> Bool {
        indices.contains { self[$0...].starts(with: part) }
    }
}
