package import KeychainModel
package import LinuxSystem

/// HPKE (RFC 9180) in base mode with HKDF-SHA256: one message to a public key, from a sender who proves nothing.
///
/// A message is encapsulated key ‖ ciphertext ‖ tag (16 bytes). It has a key of its own (section 6.1), so its nonce is
/// the key schedule's. Only the agreement needs the private key, so another component may compute it.
package struct HPKE: Sendable {
    /// The key encapsulations (7.1). Their public keys are written as the external representation of the type.
    package enum KEM: UInt16, Sendable {
        case p256 = 0x0010
        case x25519 = 0x0020

        /// The type of its keys.
        package var keyType: KeyType { self == .p256 ? .ecSECPrimeRandom : .x25519 }
        /// The size of an encapsulated key in bytes.
        package var encapsulatedSize: Int { self == .p256 ? 65 : 32 }
        /// The bits of its keys.
        package static let keyBits = 256
    }

    /// The ciphers for the content (7.3).
    enum Cipher: UInt16, Sendable {
        case aes128GCM = 1
        case aes256GCM = 2

        var keySize: Int { self == .aes128GCM ? 16 : 32 }
    }

    private let kem: KEM
    private let cipher: Cipher

    init(_ kem: KEM, _ cipher: Cipher) { (self.kem, self.cipher) = (kem, cipher) }

    /// The suite with this key encapsulation and AES-256-GCM.
    package init(_ kem: KEM) { self.init(kem, .aes256GCM) }

    /// How many bytes a message is longer than its content.
    package var overhead: Int { kem.encapsulatedSize + AESGCM.tagSize }

    /// Encrypts one message.
    ///
    /// - Parameters:
    ///   - info: what the message is for, which its recipient must know as well.
    ///   - aad: associated data: not in the message, but the same must be given to open it.
    /// - Throws: `CryptoError.malformedKey` for a key of another type, or one whose secret anyone can know; `.tooLong`,
    ///   `.libraryFailure`.
    package func seal(
        content: Span<UInt8>, to recipient: PublicKey, info: Span<UInt8>, aad: Span<UInt8>
    ) throws(CryptoError) -> [UInt8] {
        let ephemeral = try PrivateKey.generate(kem.keyType, bits: KEM.keyBits)
        return try seal(content: content, to: recipient, info: info, aad: aad, ephemeral: ephemeral)
    }

    /// Encrypts with a given ephemeral key, which must never serve twice: for the published vectors.
    func seal(
        content: Span<UInt8>, to recipient: PublicKey, info: Span<UInt8>, aad: Span<UInt8>, ephemeral: PrivateKey
    ) throws(CryptoError) -> [UInt8] {
        try check(recipient)
        let shared = try ephemeral.sharedX(with: recipient)
        let encapsulated = ephemeral.publicKey.external()
        let schedule = try schedule(shared, encapsulated, recipient, info)
        var sealed = [UInt8](repeating: 0, count: content.count + AESGCM.tagSize)
        var span = sealed.mutableSpan
        try schedule.key.withSpan { (key) throws(CryptoError) in
            try schedule.nonce.withSpan { (nonce) throws(CryptoError) in
                try NoncedAESGCM(key: key).seal(plaintext: content, nonce: nonce, aad: aad, into: &span)
            }
        }
        return encapsulated + sealed
    }

    /// The encapsulated key at the start of a message, with which the recipient's private key agrees.
    ///
    /// - Throws: `CryptoError.wrongInputSize` when the message is shorter than that and a tag; `.malformedKey`.
    package func encapsulatedKey(of message: Span<UInt8>) throws(CryptoError) -> PublicKey {
        guard message.count >= overhead else { throw .wrongInputSize }
        return try PublicKey(external: message.extracting(..<kem.encapsulatedSize), type: kem.keyType)
    }

    /// Decrypts a message.
    ///
    /// - Throws: `CryptoError.authenticationFailed`; `.wrongInputSize` when the message is too short; `.malformedKey`
    ///   for a key of another type, or a message whose secret anyone can know; `.libraryFailure`.
    package func open(
        message: Span<UInt8>, with key: PrivateKey, info: Span<UInt8>, aad: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        let shared = try key.sharedX(with: encapsulatedKey(of: message))
        return try open(message: message, sharedX: shared, recipient: key.publicKey, info: info, aad: aad)
    }

    /// Decrypts a message with what the recipient's private key and ``encapsulatedKey(of:)`` share.
    ///
    /// - Throws: as ``open(message:with:info:aad:)``.
    package func open(
        message: Span<UInt8>, sharedX: SecretBytes, recipient: PublicKey, info: Span<UInt8>, aad: Span<UInt8>
    ) throws(CryptoError) -> SecretBytes {
        try check(recipient)
        guard message.count >= overhead else { throw .wrongInputSize }
        let encapsulated = message.array(0, kem.encapsulatedSize)
        let schedule = try schedule(sharedX, encapsulated, recipient, info)
        let content = SecretBytes(count: message.count - overhead)
        try content.withMutableSpan { (content) throws(CryptoError) in
            try schedule.key.withSpan { (key) throws(CryptoError) in
                let cipher = try NoncedAESGCM(key: key)
                try schedule.nonce.withSpan { (nonce) throws(CryptoError) in
                    let sealed = message.extracting(kem.encapsulatedSize...)
                    try cipher.open(message: sealed, nonce: nonce, aad: aad, into: &content)
                }
            }
        }
        return content
    }

    private func check(_ recipient: PublicKey) throws(CryptoError) {
        guard recipient.type == kem.keyType, recipient.bits == KEM.keyBits else { throw .malformedKey }
    }
}

// MARK: - The key schedule

extension HPKE {
    /// `ExtractAndExpand` of the encapsulation (4.1), then `KeySchedule` of the base mode (5.1).
    private func schedule(
        _ sharedX: SecretBytes, _ encapsulated: [UInt8], _ recipient: PublicKey, _ info: Span<UInt8>
    ) throws(CryptoError) -> (key: SecretBytes, nonce: SecretBytes) {
        let shared = try sharedSecret(sharedX, encapsulated + recipient.external())
        let labeled = LabeledHKDF("HPKE", [kem.rawValue, LabeledHKDF.identifier, cipher.rawValue])
        // No pre-shared key: its identifier is empty, and so is the key.
        let identifierHash = try labeled.extract(Span(), "psk_id_hash", salt: Span())
        let infoHash = try labeled.extract(info, "info_hash", salt: Span())
        let context = [0] + identifierHash.public + infoHash.public
        let secret = try shared.withSpan { (shared) throws(CryptoError) in
            try labeled.extract(Span(), "secret", salt: shared)
        }
        let key = try labeled.expand(secret, "key", info: context, count: cipher.keySize)
        return (key, try labeled.expand(secret, "base_nonce", info: context, count: AESGCM.nonceSize))
    }

    private func sharedSecret(_ sharedX: SecretBytes, _ context: [UInt8]) throws(CryptoError) -> SecretBytes {
        let labeled = LabeledHKDF("KEM", [kem.rawValue])
        let key = try sharedX.withSpan { (sharedX) throws(CryptoError) in
            try labeled.extract(sharedX, "eae_prk", salt: Span())
        }
        return try labeled.expand(key, "shared_secret", info: context, count: 32)
    }
}

/// `LabeledExtract` and `LabeledExpand` of a suite (RFC 9180, section 4).
private struct LabeledHKDF {
    /// The number of HKDF-SHA256 (7.2).
    static let identifier: UInt16 = 1

    private static let version = Array("HPKE-v1".utf8)
    private let suite: [UInt8]

    init(_ name: String, _ numbers: [UInt16]) {
        suite = Array(name.utf8) + numbers.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
    }

    func extract(_ input: Span<UInt8>, _ label: String, salt: Span<UInt8>) throws(CryptoError) -> SecretBytes {
        let labeled = SecretBuffer(capacity: 128)
        let prefix = Self.version + suite + Array(label.utf8)
        labeled.append(prefix.span)
        labeled.append(input)
        return try labeled.withSpan { (labeled) throws(CryptoError) in try HKDF.extract(from: labeled, salt: salt) }
    }

    func expand(
        _ key: SecretBytes, _ label: String, info: [UInt8], count: Int
    ) throws(CryptoError) -> SecretBytes {
        let labeled = [UInt8(count >> 8), UInt8(count & 0xFF)] + Self.version + suite + Array(label.utf8) + info
        return try key.withSpan { (key) throws(CryptoError) in
            try HKDF.expand(key, info: labeled.span, count: count)
        }
    }
}

extension SecretBytes {
    /// For results that are no secret, as hashes of what is public.
    var `public`: [UInt8] { withSpan { $0.array(0, $0.count) } }
}
