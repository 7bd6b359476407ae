import COpenSSL
import KeychainModel
import LinuxSystem

/// The requirements of a signature algorithm for a key and its input.
struct SignatureMethod {
    let signature: KeyAlgorithm.Signature
    private let input: KeyAlgorithm.SignedInput
    private let bits: Int

    /// No digest is longer. OpenSSL would truncate a longer input silently, so it is refused.
    static let mostDigestBytes = 64

    /// - Throws: `CryptoError.unsupportedAlgorithm` when the key does not support the algorithm.
    init(_ algorithm: KeyAlgorithm, _ operation: KeyOperation, _ key: PublicKey) throws(CryptoError) {
        guard algorithm.supports(operation, type: key.type, bits: key.bits),
            case .signature(let signature, of: let input) = algorithm.construction
        else { throw .unsupportedAlgorithm }
        (self.signature, self.input, bits) = (signature, input, key.bits)
    }

    /// Lends the bytes that the key is applied to: the input, or its digest.
    ///
    /// - Throws: `CryptoError.wrongInputSize` when the algorithm does not take such an input.
    func withSignedBytes<Result>(
        of bytes: Span<UInt8>, _ body: (Span<UInt8>) throws(CryptoError) -> Result
    ) throws(CryptoError) -> Result {
        if case .message(let hash) = input {
            let digest = try Digest.of(bytes, hash)
            return try body(digest.span)
        }
        guard takes(bytes.count) else { throw .wrongInputSize }
        guard signature == .rsaRaw, let block = RSABlock(bytes, size: KeyType.blockSize(bits: bits)) else {
            return try body(bytes)
        }
        return try block.withSpan(body)
    }

    private func takes(_ count: Int) -> Bool {
        if let hash = input.hash { return count == hash.size }
        return switch signature {
        // A shorter input gets leading zeros.
        case .rsaRaw: count <= KeyType.blockSize(bits: bits)
        case .rsaPKCS1: count <= KeyType.blockSize(bits: bits) - RSAPadding.leastPKCS1Overhead
        case .rsaPSS: false
        case .ecdsaX962, .ecdsaRFC4754: (1...Self.mostDigestBytes).contains(count)
        case .ed25519: true
        }
    }

    /// Configures the context, after the operation was begun.
    func configure(_ context: KeyContext) throws(CryptoError) {
        switch signature {
        case .rsaRaw: try RSAPadding.none.set(on: context)
        case .rsaPSS: try RSAPadding.pss.set(on: context)
        // PKCS #1 is the default of a context (EVP_PKEY-RSA(7)). Setting it again costs as much as a tenth of a
        // verification.
        case .rsaPKCS1, .ecdsaX962, .ecdsaRFC4754, .ed25519: break
        }
        guard let hash = input.hash else { return }
        let digest = unsafe try made(Algorithm.digest(hash).reference)
        try succeed(unsafe EVP_PKEY_CTX_set_signature_md(context.reference, digest))
        guard signature == .rsaPSS else { return }
        try succeed(unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context.reference, digest))
        try succeed(unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(context.reference, RSA_PSS_SALTLEN_DIGEST))
    }
}

/// The paddings of RFC 8017.
enum RSAPadding {
    case none, pkcs1, pss
    case oaep(HashFunction)

    /// 00, block type, at least eight bytes of padding, 00.
    static let leastPKCS1Overhead = 11

    func set(on context: KeyContext) throws(CryptoError) {
        let number =
            switch self {
            case .none: RSA_NO_PADDING
            case .pkcs1: RSA_PKCS1_PADDING
            case .pss: RSA_PKCS1_PSS_PADDING
            case .oaep: RSA_PKCS1_OAEP_PADDING
            }
        try succeed(unsafe EVP_PKEY_CTX_set_rsa_padding(context.reference, number))
        guard case .oaep(let hash) = self else { return }
        let digest = unsafe try made(Algorithm.digest(hash).reference)
        try succeed(unsafe EVP_PKEY_CTX_set_rsa_oaep_md(context.reference, digest))
        try succeed(unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context.reference, digest))
    }
}
