import COpenSSL
import KeychainModel

/// OpenSSL's derivation context, for one derivation.
@safe final class DerivationContext {
    private let context: OpaquePointer

    init(_ algorithm: Algorithm) throws(CryptoError) {
        unsafe context = try made(EVP_KDF_CTX_new(made(algorithm.reference)))
    }

    // This also wipes the key.
    deinit { unsafe EVP_KDF_CTX_free(context) }

    /// - Parameter step: the one step of HKDF to do; nil for the whole derivation.
    func derive(
        _ key: Span<UInt8>, salt: Span<UInt8> = Span(), info: Span<UInt8>, hash: HashFunction,
        step: ParameterText? = nil, into output: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try unsafe withParameter(.key, key) { (key) throws(CryptoError) in
            try unsafe withParameter(.salt, salt) { (salt) throws(CryptoError) in
                try unsafe withParameter(.info, info) { (info) throws(CryptoError) in
                    var parameters = unsafe [digestParameter(hash), key, salt, info]
                    if let step {
                        unsafe parameters.append(
                            OSSL_PARAM_construct_utf8_string(ParameterText.step.pointer, step.pointer, 0))
                    }
                    unsafe parameters.append(OSSL_PARAM_construct_end())
                    try unsafe run(parameters, into: &output)
                }
            }
        }
    }

    private func run(_ parameters: [OSSL_PARAM], into output: inout MutableSpan<UInt8>) throws(CryptoError) {
        try unsafe output.withUnsafeMutableBufferPointer { (output) throws(CryptoError) in
            try succeed(unsafe EVP_KDF_derive(context, output.baseAddress, output.count, parameters))
        }
    }

    private func withParameter(
        _ name: ParameterText, _ value: Span<UInt8>, _ body: (OSSL_PARAM) throws(CryptoError) -> Void
    ) throws(CryptoError) {
        try unsafe withAddress(of: value) { (start, count) throws(CryptoError) in
            try unsafe body(
                OSSL_PARAM_construct_octet_string(name.pointer, UnsafeMutableRawPointer(mutating: start), count))
        }
    }
}
