import COpenSSL
import LinuxSystem

/// OpenSSL's context of one operation with a key. Belongs to one thread.
@safe final class KeyContext {
    /// The shape of signing, encrypting and decrypting in C: output and its size, input and its size.
    typealias Transformation = (
        OpaquePointer?, UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Int>?, UnsafePointer<UInt8>?, Int
    ) -> CInt

    let reference: OpaquePointer
    // OpenSSL holds the key too. This property exists so that the size of the output can be read.
    private let key: KeyHandle?

    /// Creates a context for an operation with this key.
    init(_ key: KeyHandle) throws(CryptoError) {
        self.key = key
        unsafe reference = try made(EVP_PKEY_CTX_new_from_pkey(nil, key.reference, nil))
    }

    /// Creates a context that makes keys of this kind; the name is OpenSSL's.
    init(making kind: String) throws(CryptoError) {
        key = nil
        unsafe reference = try made(EVP_PKEY_CTX_new_from_name(nil, kind, nil))
    }

    // This also wipes the secrets in the context.
    deinit { unsafe EVP_PKEY_CTX_free(reference) }

    /// Transforms the input into a public output.
    ///
    /// - Throws: `CryptoError.libraryFailure`, `.tooLong`.
    func transform(
        _ input: Span<UInt8>, by transformation: Transformation, or failure: CryptoError = .libraryFailure
    ) throws(CryptoError) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: key?.outputSize ?? 0)
        var span = output.mutableSpan
        let count = try unsafe write(input, to: &span, by: transformation, or: failure)
        output.removeSubrange(count...)
        return output
    }

    /// Transforms the input into a secret output.
    ///
    /// - Throws: `failure` when the library refuses.
    func transformSecretly(
        _ input: Span<UInt8>, by transformation: Transformation, or failure: CryptoError
    ) throws(CryptoError) -> SecretBytes {
        let size = key?.outputSize ?? 0
        let buffer = SecretBuffer(capacity: size)
        var count = 0
        try buffer.append(count: size) { (span) throws(CryptoError) in
            count = try unsafe write(input, to: &span, by: transformation, or: failure)
        }
        buffer.truncate(to: count)
        return buffer.finish()
    }

    private func write(
        _ input: Span<UInt8>, to output: inout MutableSpan<UInt8>, by transformation: Transformation,
        or failure: CryptoError
    ) throws(CryptoError) -> Int {
        try unsafe output.withUnsafeMutableBufferPointer { (output) throws(CryptoError) in
            try unsafe withAddress(of: input) { (start, size) throws(CryptoError) in
                var count = output.count
                try succeed(unsafe transformation(reference, output.baseAddress, &count, start, size), or: failure)
                guard count >= 0, count <= output.count else { throw .libraryFailure }
                return count
            }
        }
    }
}
