import COpenSSL
package import KeychainModel
package import LinuxSystem

/// The part of a key exchange that needs no key. It computes the result from the shared X coordinate, which another
/// component may have computed.
package enum KeyAgreement {
    /// Returns the X coordinate itself, or the output of the X9.63 key derivation from it and the shared info (SEC 1,
    /// 3.6.1).
    ///
    /// - Throws: `CryptoError.unsupportedAlgorithm` for an algorithm that is not a key exchange; `.invalidParameter`
    ///   when a derivation has no size from 1 to ``KeyParameters/mostRequestedBytes``.
    package static func finish(
        sharedX: SecretBytes, _ algorithm: KeyAlgorithm, parameters: KeyParameters
    ) throws(CryptoError) -> SecretBytes {
        guard case .keyExchange(let exchange) = algorithm.construction else { throw .unsupportedAlgorithm }
        try check(parameters, exchange)
        guard let hash = exchange.derivation, let size = parameters.requestedSize else { return sharedX }
        return try derive(from: sharedX, info: parameters.sharedInfo.span, hash, count: size)
    }

    /// Checks that the parameters fit the exchange, before a private key is used. An exchange without a derivation
    /// ignores its parameters.
    static func check(
        _ parameters: KeyParameters, _ exchange: KeyAlgorithm.KeyExchange
    ) throws(CryptoError) {
        guard exchange.derivation != nil else { return }
        try parameters.checkBounds()
        guard parameters.requestedSize != nil else { throw .invalidParameter }
    }

    /// The key derivation of ANSI X9.63.
    static func derive(
        from secret: SecretBytes, info: Span<UInt8>, _ hash: HashFunction, count: Int
    ) throws(CryptoError) -> SecretBytes {
        let derived = SecretBytes(count: count)
        let context = try DerivationContext(.x963)
        try secret.withSpan { (secret) throws(CryptoError) in
            try derived.withMutableSpan { (output) throws(CryptoError) in
                try context.derive(secret, info: info, hash: hash, into: &output)
            }
        }
        return derived
    }
}

extension KeyParameters {
    func checkBounds() throws(CryptoError) {
        guard (1...Self.mostRequestedBytes).contains(requestedSize ?? 1), sharedInfo.count <= Self.mostSharedInfoBytes
        else { throw .invalidParameter }
    }

    /// Checks that there are no parameters, for algorithms that take none.
    func checkAbsent() throws(CryptoError) {
        guard requestedSize == nil, sharedInfo.isEmpty else { throw .invalidParameter }
    }
}

extension PrivateKey {
    /// Exchanges keys with a peer whose public key is in external representation.
    ///
    /// - Throws: `CryptoError.malformedKey` when the peer's key is malformed, has another type or size, or produces a
    ///   secret that anyone can know; `.unsupportedAlgorithm`, `.invalidParameter` as ``KeyAgreement``,
    ///   `.libraryFailure`.
    package func agree(
        with peer: Span<UInt8>, _ algorithm: KeyAlgorithm, parameters: KeyParameters
    ) throws(CryptoError) -> SecretBytes {
        try agree(with: PublicKey(external: peer, type: type), algorithm, parameters: parameters)
    }

    /// Exchanges keys with a peer.
    ///
    /// - Throws: as ``agree(with:_:parameters:)-(Span<UInt8>,_,_)``.
    package func agree(
        with peer: PublicKey, _ algorithm: KeyAlgorithm, parameters: KeyParameters
    ) throws(CryptoError) -> SecretBytes {
        guard algorithm.supports(.keyExchange, type: type, bits: bits),
            case .keyExchange(let exchange) = algorithm.construction
        else { throw .unsupportedAlgorithm }
        try KeyAgreement.check(parameters, exchange)
        return try KeyAgreement.finish(sharedX: sharedX(with: peer), algorithm, parameters: parameters)
    }

    /// The raw exchange: the X coordinate of the shared point, as long as the field.
    ///
    /// - Throws: `CryptoError.malformedKey` for a peer of another type or size, or a point of low order;
    ///   `.libraryFailure`.
    package func sharedX(with peer: PublicKey) throws(CryptoError) -> SecretBytes {
        guard peer.type == type, peer.bits == bits else { throw .malformedKey }
        let context = try KeyContext(handle)
        try succeed(unsafe EVP_PKEY_derive_init(context.reference))
        // A `PublicKey` is on its curve, and the curves have no other points (cofactor 1). It needs no second
        // validation.
        try succeed(unsafe EVP_PKEY_derive_set_peer_ex(context.reference, peer.handle.reference, 0), or: .malformedKey)
        let shared = SecretBytes(count: KeyType.blockSize(bits: bits))
        try shared.withMutableSpan { (span) throws(CryptoError) in
            try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
                var count = span.count
                let done = unsafe EVP_PKEY_derive(context.reference, span.baseAddress, &count)
                try succeed(done, or: .malformedKey)
                guard count == span.count else { throw .libraryFailure }
            }
        }
        return shared
    }
}
