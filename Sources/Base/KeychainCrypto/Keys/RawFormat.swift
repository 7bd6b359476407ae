import COpenSSL
import KeychainModel
import LinuxSystem

/// Keys on Curve25519: their 32 bytes (RFC 8032, RFC 7748).
struct RawFormat: KeyFormat {
    static let size = 32
    let kind: String
    let algorithm: CInt

    func bits(of key: KeyHandle) -> Int { 8 * Self.size }

    func generate(bits: Int) throws(CryptoError) -> KeyHandle {
        let context = try KeyContext(making: kind)
        try succeed(unsafe EVP_PKEY_keygen_init(context.reference))
        var key: OpaquePointer?
        try succeed(unsafe EVP_PKEY_generate(context.reference, &key))
        return try unsafe KeyHandle(adopting: key)
    }

    func decodePrivate(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        guard bytes.count == Self.size else { throw .malformedKey }
        return try unsafe withAddress(of: bytes) { (start, count) throws(CryptoError) in
            try unsafe KeyHandle(adopting: EVP_PKEY_new_raw_private_key_ex(nil, kind, nil, start, count))
        }
    }

    func decodePublic(_ bytes: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        guard bytes.count == Self.size else { throw .malformedKey }
        return try unsafe withAddress(of: bytes) { (start, count) throws(CryptoError) in
            try unsafe KeyHandle(adopting: EVP_PKEY_new_raw_public_key_ex(nil, kind, nil, start, count))
        }
    }

    func encodePrivate(_ key: KeyHandle) throws(CryptoError) -> SecretBytes {
        let encoded = SecretBytes(count: Self.size)
        try encoded.withMutableSpan { (span) throws(CryptoError) in
            try read(OSSL_PKEY_PARAM_PRIV_KEY, of: key, into: &span)
        }
        return encoded
    }

    func encodePublic(_ key: KeyHandle) throws(CryptoError) -> [UInt8] {
        var encoded = [UInt8](repeating: 0, count: Self.size)
        var span = encoded.mutableSpan
        try read(OSSL_PKEY_PARAM_PUB_KEY, of: key, into: &span)
        return encoded
    }

    // `EVP_PKEY_get_raw_private_key` is not used: it makes a copy of the key and frees it without wiping it.
    private func read(
        _ part: String, of key: KeyHandle, into span: inout MutableSpan<UInt8>
    ) throws(CryptoError) {
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            var count = 0
            let (start, size) = (span.baseAddress, span.count)
            try succeed(unsafe EVP_PKEY_get_octet_string_param(key.reference, part, start, size, &count))
            guard count == size else { throw .libraryFailure }
        }
    }
}
