import COpenSSL
package import KeychainModel
import LinuxSystem

extension PrivateKey {
    /// Signs a message, a digest or a whole block, depending on the algorithm.
    ///
    /// - Throws: `CryptoError.unsupportedAlgorithm`; `.wrongInputSize` for a digest of another length, or a block that
    ///   is not below the modulus; `.libraryFailure`.
    package func sign(_ input: Span<UInt8>, _ algorithm: KeyAlgorithm) throws(CryptoError) -> [UInt8] {
        let method = try SignatureMethod(algorithm, .sign, publicKey)
        return try method.withSignedBytes(of: input) { (bytes) throws(CryptoError) in
            if method.signature == .ed25519 { return try MessageSignature().sign(bytes, with: handle) }
            let context = try KeyContext(handle)
            try succeed(unsafe EVP_PKEY_sign_init(context.reference))
            try method.configure(context)
            let failure = method.signature == .rsaRaw ? CryptoError.wrongInputSize : .libraryFailure
            let signature = try unsafe context.transform(bytes, by: EVP_PKEY_sign, or: failure)
            guard method.signature == .ecdsaRFC4754 else { return signature }
            return try ECDSASignature(x962: signature.span).plain(bits: bits)
        }
    }
}

extension PublicKey {
    /// Whether the private key made this signature of this input.
    ///
    /// - Throws: `CryptoError.unsupportedAlgorithm`; `.wrongInputSize` for an input that cannot have been signed;
    ///   `.libraryFailure`. An invalid signature of any length and content is not an error.
    package func verify(
        _ signature: Span<UInt8>, of input: Span<UInt8>, _ algorithm: KeyAlgorithm
    ) throws(CryptoError) -> Bool {
        let method = try SignatureMethod(algorithm, .verify, self)
        return try method.withSignedBytes(of: input) { (bytes) throws(CryptoError) in
            switch method.signature {
            case .ed25519: return try MessageSignature().verify(signature, of: bytes, with: handle)
            case .ecdsaRFC4754:
                guard let plain = try? ECDSASignature(plain: signature, bits: bits) else { return false }
                let x962 = try plain.x962()
                return try verify(x962.span, of: bytes, method)
            case .rsaRaw, .rsaPKCS1, .rsaPSS, .ecdsaX962: return try verify(signature, of: bytes, method)
            }
        }
    }

    private func verify(
        _ signature: Span<UInt8>, of bytes: Span<UInt8>, _ method: SignatureMethod
    ) throws(CryptoError) -> Bool {
        let context = try KeyContext(handle)
        try succeed(unsafe EVP_PKEY_verify_init(context.reference))
        try method.configure(context)
        // The reason why a signature does not hold is not reported.
        defer { ERR_clear_error() }
        return unsafe withAddress(of: signature) { signature, size in
            unsafe withAddress(of: bytes) { bytes, count in
                unsafe EVP_PKEY_verify(context.reference, signature, size, bytes, count) == 1
            }
        }
    }
}

/// OpenSSL's context for signatures that hash the message themselves. It serves one message.
@safe private final class MessageSignature {
    private static let size = 64
    private let context: OpaquePointer

    init() throws(CryptoError) { unsafe context = try made(EVP_MD_CTX_new()) }

    deinit { unsafe EVP_MD_CTX_free(context) }

    func sign(_ message: Span<UInt8>, with key: KeyHandle) throws(CryptoError) -> [UInt8] {
        try succeed(unsafe EVP_DigestSignInit_ex(context, nil, nil, nil, nil, key.reference, nil))
        var signature = [UInt8](repeating: 0, count: Self.size)
        var span = signature.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            try unsafe withAddress(of: message) { (start, count) throws(CryptoError) in
                var size = span.count
                try succeed(unsafe EVP_DigestSign(context, span.baseAddress, &size, start, count))
            }
        }
        return signature
    }

    func verify(
        _ signature: Span<UInt8>, of message: Span<UInt8>, with key: KeyHandle
    ) throws(CryptoError) -> Bool {
        try succeed(unsafe EVP_DigestVerifyInit_ex(context, nil, nil, nil, nil, key.reference, nil))
        defer { ERR_clear_error() }
        return unsafe withAddress(of: signature) { signature, size in
            unsafe withAddress(of: message) { message, count in
                unsafe EVP_DigestVerify(context, signature, size, message, count) == 1
            }
        }
    }
}
