import COpenSSL
package import KeychainModel
package import LinuxSystem

extension PublicKey {
    /// Encrypts for the holder of the private key.
    ///
    /// A raw block that is shorter than the modulus gets leading zeros.
    ///
    /// - Throws: `CryptoError.unsupportedAlgorithm`; `.wrongInputSize` for more than the padding leaves room for, or
    ///   for a raw block that is not below the modulus; `.invalidParameter`, `.tooLong`, `.libraryFailure`.
    package func encrypt(
        _ input: Span<UInt8>, _ algorithm: KeyAlgorithm, parameters: KeyParameters = KeyParameters()
    ) throws(CryptoError) -> [UInt8] {
        switch try algorithm.encryption(.encrypt, self, parameters) {
        case .rsaRaw:
            guard let block = RSABlock(input, size: modulusSize) else { throw .wrongInputSize }
            return try block.withSpan { (block) throws(CryptoError) in
                try encrypt(block, .none, size: modulusSize...modulusSize)
            }
        case .rsaPKCS1: return try encrypt(input, .pkcs1, size: 0...modulusSize - RSAPadding.leastPKCS1Overhead)
        case .rsaOAEP(let hash): return try encrypt(input, hash)
        case .rsaOAEPAESGCM(let hash): return try WrappedContent.seal(content: input, for: self, hash)
        case .ecies: return try ECIES.seal(content: input, for: self, algorithm, parameters: parameters)
        }
    }

    /// Encrypts with OAEP (RFC 8017, 7.1).
    func encrypt(_ input: Span<UInt8>, _ hash: HashFunction) throws(CryptoError) -> [UInt8] {
        try encrypt(input, .oaep(hash), size: 0...KeyAlgorithm.Encryption.oaepRoom(hash, bits: bits))
    }

    private func encrypt(
        _ input: Span<UInt8>, _ padding: RSAPadding, size: ClosedRange<Int>
    ) throws(CryptoError) -> [UInt8] {
        guard size.contains(input.count) else { throw .wrongInputSize }
        let context = try KeyContext(handle)
        try succeed(unsafe EVP_PKEY_encrypt_init(context.reference))
        try padding.set(on: context)
        return try unsafe context.transform(input, by: EVP_PKEY_encrypt, or: .wrongInputSize)
    }

    /// The size of an RSA block in bytes.
    var modulusSize: Int { KeyType.blockSize(bits: bits) }

    /// The input of the private-key operation, with its padding removed. This is RSA's other direction, which Apple's
    /// public keys call decryption. Leading zeros are left out.
    ///
    /// - Throws: `CryptoError.unsupportedAlgorithm`; `.wrongInputSize`; `.authenticationFailed` for a number that is
    ///   not below the modulus, and for an encryption padding, because private-key operations never produce one.
    package func recover(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(CryptoError) -> SecretBytes {
        guard algorithm.supports(.decrypt, type: type, bits: bits),
            case .encryption(let encryption) = algorithm.construction
        else { throw .unsupportedAlgorithm }
        guard case .rsaRaw = encryption else { throw .authenticationFailed }
        guard input.count == modulusSize else { throw .wrongInputSize }
        let context = try KeyContext(handle)
        try succeed(unsafe EVP_PKEY_verify_recover_init(context.reference))
        try RSAPadding.none.set(on: context)
        let recovered = try unsafe context.transformSecretly(
            input, by: EVP_PKEY_verify_recover, or: .authenticationFailed)
        return recovered.withoutLeadingZeros
    }
}

/// A block of RSA without padding: the bytes as a number, with leading zeros up to the size of the modulus.
struct RSABlock {
    private let bytes: SecretBytes

    /// - Returns: nil for more bytes than `size`.
    init?(_ input: Span<UInt8>, size: Int) {
        guard input.count <= size else { return nil }
        bytes = SecretBytes(count: size)
        bytes.withMutableSpan { block in
            for index in input.indices { block[size - input.count + index] = input[index] }
        }
    }

    func withSpan<Result>(_ body: (Span<UInt8>) throws(CryptoError) -> Result) throws(CryptoError) -> Result {
        try bytes.withSpan(body)
    }
}

extension SecretBytes {
    /// The number as RSA without padding returns it: without leading zeros.
    fileprivate var withoutLeadingZeros: SecretBytes {
        withSpan { bytes in
            var first = 0
            while first < bytes.count, bytes[first] == 0 { first += 1 }
            return SecretBytes(copying: bytes.extracting(first...))
        }
    }
}

extension PrivateKey {
    /// Decrypts a message for the public key.
    ///
    /// - Throws: `CryptoError.authenticationFailed` when padding or tag are wrong; `.wrongInputSize`,
    ///   `.unsupportedAlgorithm`; `.malformedKey` when the message has no point of the curve; `.invalidParameter`,
    ///   `.tooLong`, `.libraryFailure`.
    package func decrypt(
        _ input: Span<UInt8>, _ algorithm: KeyAlgorithm, parameters: KeyParameters = KeyParameters()
    ) throws(CryptoError) -> SecretBytes {
        switch try algorithm.encryption(.decrypt, publicKey, parameters) {
        case .rsaRaw: return try decrypt(input, .none).withoutLeadingZeros
        case .rsaPKCS1: return try decrypt(input, .pkcs1)
        case .rsaOAEP(let hash): return try decrypt(input, .oaep(hash))
        case .rsaOAEPAESGCM(let hash): return try WrappedContent.open(message: input, with: self, hash)
        case .ecies:
            let point = try ECIES.ephemeralPoint(of: input, curveBits: bits)
            let shared = try sharedX(with: PublicKey(external: point.span, type: type))
            return try ECIES.open(message: input, sharedX: shared, curveBits: bits, algorithm, parameters: parameters)
        }
    }

    func decrypt(_ input: Span<UInt8>, _ padding: RSAPadding) throws(CryptoError) -> SecretBytes {
        guard input.count == publicKey.modulusSize else { throw .wrongInputSize }
        let context = try KeyContext(handle)
        try succeed(unsafe EVP_PKEY_decrypt_init(context.reference))
        try padding.set(on: context)
        return try unsafe context.transformSecretly(input, by: EVP_PKEY_decrypt, or: .authenticationFailed)
    }
}

extension KeyAlgorithm {
    /// The encryption method of the algorithm, after checks against this key and these parameters.
    fileprivate func encryption(
        _ operation: KeyOperation, _ key: PublicKey, _ parameters: KeyParameters
    ) throws(CryptoError) -> Encryption {
        guard supports(operation, type: key.type, bits: key.bits), case .encryption(let encryption) = construction
        else { throw .unsupportedAlgorithm }
        if case .ecies = encryption { return encryption }
        try parameters.checkAbsent()
        return encryption
    }
}

/// OAEP of a fresh AES key ‖ AES-GCM of the content ‖ tag. The IV is 16 zero bytes, and the associated data is the
/// public key (rule keys.algorithm.ecies).
private enum WrappedContent {
    static func seal(
        content: Span<UInt8>, for recipient: PublicKey, _ hash: HashFunction
    ) throws(CryptoError) -> [UInt8] {
        let key = SecretBytes(count: KeyAlgorithm.Encryption.contentKeySize(rsaBits: recipient.bits))
        key.withMutableSpan { Randomness.fill(&$0) }
        return try key.withSpan { (key) throws(CryptoError) in
            let wrapped = try recipient.encrypt(key, hash)
            return try ContentCipher(key: key, iv: nil).seal(
                content: content, aad: recipient.external().span, after: wrapped)
        }
    }

    static func open(
        message: Span<UInt8>, with recipient: PrivateKey, _ hash: HashFunction
    ) throws(CryptoError) -> SecretBytes {
        let size = recipient.publicKey.modulusSize
        guard message.count >= size + AESGCM.tagSize else { throw .wrongInputSize }
        let key = try recipient.decrypt(message.extracting(..<size), .oaep(hash))
        return try key.withSpan { (key) throws(CryptoError) in
            // The sender chose the size of the key. A size that AES-GCM does not take means that the message is not
            // genuine.
            guard key.count == 16 || key.count == 32 else { throw .authenticationFailed }
            let cipher = try ContentCipher(key: key, iv: nil)
            return try cipher.open(box: message.extracting(size...), aad: recipient.publicKey.external().span)
        }
    }
}
