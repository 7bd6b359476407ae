import COpenSSL
package import LinuxSystem

/// One side of a Diffie-Hellman exchange in the Second Oakley Group (RFC 2409, 6.2): 1,024 bits, generator 2.
///
/// The group is that of `dh-ietf1024-sha256-aes128-cbc-pkcs7`, the only encrypted session of the Secret Service's
/// specification. It is too small to protect anything that matters; nothing of the keychain's own uses it.
package final class OakleyExchange {
    /// The size of public keys and of the shared secret in bytes.
    package static let size = 128
    private let key: KeyHandle

    /// Makes a key pair.
    ///
    /// - Throws: `CryptoError.libraryFailure`, also where the system's policy forbids the group.
    package init() throws(CryptoError) {
        let parameters: KeyHandle
        do throws(CryptoError) {
            parameters = try unsafe Self.make([], selection: OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS)
        } catch { throw .libraryFailure }
        let context = try KeyContext(parameters)
        try succeed(unsafe EVP_PKEY_keygen_init(context.reference))
        var key: OpaquePointer?
        try succeed(unsafe EVP_PKEY_generate(context.reference, &key))
        self.key = try unsafe KeyHandle(adopting: key)
    }

    /// The public key: an unsigned number, most significant byte first, with leading zeros.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func publicKey() throws(CryptoError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: Self.size)
        var span = bytes.mutableSpan
        try key.number(OSSL_PKEY_PARAM_PUB_KEY).write(to: &span, at: 0, count: Self.size)
        return bytes
    }

    /// The secret that is shared with a peer, with leading zeros.
    ///
    /// - Parameter peer: the peer's public key, an unsigned number of at most 129 bytes, with leading zeros or without.
    /// - Throws: `CryptoError.malformedKey` for a number that is no public key, such as 0, 1 and p − 1.
    package func shared(with peer: Span<UInt8>) throws(CryptoError) -> SecretBytes {
        guard (1...Self.size + 1).contains(peer.count) else { throw .malformedKey }
        let other = try Self.publicPart(peer)
        let context = try KeyContext(key)
        try succeed(unsafe EVP_PKEY_derive_init(context.reference))
        var padding: UInt32 = 1
        let parameters = unsafe [
            OSSL_PARAM_construct_uint(Part.padding.pointer, &padding), OSSL_PARAM_construct_end(),
        ]
        try succeed(unsafe EVP_PKEY_CTX_set_params(context.reference, parameters))
        try succeed(unsafe EVP_PKEY_derive_set_peer_ex(context.reference, other.reference, 1), or: .malformedKey)
        return try derive(context)
    }

    private func derive(_ context: KeyContext) throws(CryptoError) -> SecretBytes {
        let shared = SecretBytes(count: Self.size)
        try shared.withMutableSpan { (span) throws(CryptoError) in
            try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
                var count = span.count
                try succeed(unsafe EVP_PKEY_derive(context.reference, span.baseAddress, &count), or: .malformedKey)
                guard count == span.count else { throw .libraryFailure }
            }
        }
        return shared
    }

    private static func publicPart(_ peer: Span<UInt8>) throws(CryptoError) -> KeyHandle {
        let reversed = (0..<peer.count).map { peer[peer.count - 1 - $0] }
        return try unsafe withAddress(of: reversed.span) { (start, count) throws(CryptoError) in
            let number = unsafe OSSL_PARAM_construct_BN(
                Part.publicKey.pointer, UnsafeMutablePointer(mutating: start), count)
            return try unsafe make(
                [number], selection: OSSL_KEYMGMT_SELECT_DOMAIN_PARAMETERS | OSSL_KEYMGMT_SELECT_PUBLIC_KEY)
        }
    }

    /// Makes a key of the group's numbers and these.
    private static func make(_ more: [OSSL_PARAM], selection: CInt) throws(CryptoError) -> KeyHandle {
        let context = try KeyContext(making: "DH")
        try succeed(unsafe EVP_PKEY_fromdata_init(context.reference))
        var generator: [UInt8] = [2]
        var prime = Array(Self.prime.reversed())
        var key: OpaquePointer?
        try unsafe prime.withUnsafeMutableBufferPointer { (prime) throws(CryptoError) in
            try unsafe generator.withUnsafeMutableBufferPointer { (generator) throws(CryptoError) in
                var parameters =
                    unsafe [
                        OSSL_PARAM_construct_BN(Part.prime.pointer, prime.baseAddress, prime.count),
                        OSSL_PARAM_construct_BN(Part.generator.pointer, generator.baseAddress, generator.count),
                    ] + more + [OSSL_PARAM_construct_end()]
                try succeed(
                    unsafe EVP_PKEY_fromdata(context.reference, &key, selection, &parameters), or: .malformedKey)
            }
        }
        return try unsafe KeyHandle(adopting: key)
    }

    private enum Part {
        static let prime = ParameterText(OSSL_PKEY_PARAM_FFC_P)
        static let generator = ParameterText(OSSL_PKEY_PARAM_FFC_G)
        static let publicKey = ParameterText(OSSL_PKEY_PARAM_PUB_KEY)
        static let padding = ParameterText(OSSL_EXCHANGE_PARAM_PAD)
    }

    /// 2^1024 − 2^960 − 1 + 2^64 · (⌊2^894 π⌋ + 129093), most significant byte first.
    private static let prime: [UInt8] = [
        0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xC9, 0x0F, 0xDA, 0xA2, 0x21, 0x68, 0xC2, 0x34, 0xC4, 0xC6,
        0x62, 0x8B, 0x80, 0xDC, 0x1C, 0xD1, 0x29, 0x02, 0x4E, 0x08, 0x8A, 0x67, 0xCC, 0x74, 0x02, 0x0B, 0xBE, 0xA6,
        0x3B, 0x13, 0x9B, 0x22, 0x51, 0x4A, 0x08, 0x79, 0x8E, 0x34, 0x04, 0xDD, 0xEF, 0x95, 0x19, 0xB3, 0xCD, 0x3A,
        0x43, 0x1B, 0x30, 0x2B, 0x0A, 0x6D, 0xF2, 0x5F, 0x14, 0x37, 0x4F, 0xE1, 0x35, 0x6D, 0x6D, 0x51, 0xC2, 0x45,
        0xE4, 0x85, 0xB5, 0x76, 0x62, 0x5E, 0x7E, 0xC6, 0xF4, 0x4C, 0x42, 0xE9, 0xA6, 0x37, 0xED, 0x6B, 0x0B, 0xFF,
        0x5C, 0xB6, 0xF4, 0x06, 0xB7, 0xED, 0xEE, 0x38, 0x6B, 0xFB, 0x5A, 0x89, 0x9F, 0xA5, 0xAE, 0x9F, 0x24, 0x11,
        0x7C, 0x4B, 0x1F, 0xE6, 0x49, 0x28, 0x66, 0x51, 0xEC, 0xE6, 0x53, 0x81, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF,
        0xFF, 0xFF,
    ]
}
