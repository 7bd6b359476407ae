import KeychainModel
package import LinuxSystem

extension PrivateKey {
    /// The bytes that a key of P-256 is derived from: 8 more than the order has, so that the key is as good as uniform.
    package static let derivationBytes = CurveP256.scalarSize + 8

    /// The key of P-256 that follows from secret bytes: the number that they are, most significant byte first, modulo
    /// the order.
    ///
    /// - Parameter bytes: ``derivationBytes`` of them.
    /// - Throws: `CryptoError.invalidParameter` for another count; `.malformedKey` for the number 0; `.libraryFailure`.
    package static func derivedP256(from bytes: SecretBytes) throws(CryptoError) -> PrivateKey {
        guard bytes.count == derivationBytes else { throw .invalidParameter }
        let curve = try CurveP256()
        let number = try bytes.withSpan { (bytes) throws(CryptoError) in try curve.scalar(bytes) }
        guard number.bits > 0 else { throw .malformedKey }
        let point = try curve.bytes(of: curve.product(number))
        let external = SecretBytes(count: CurveP256.pointSize + CurveP256.scalarSize)
        try external.withMutableSpan { (span) throws(CryptoError) in
            point.withSpan { span.copy($0) }
            try number.write(to: &span, at: CurveP256.pointSize, count: CurveP256.scalarSize)
        }
        return try external.withSpan { (span) throws(CryptoError) in
            try PrivateKey(external: span, type: .ecSECPrimeRandom)
        }
    }
}
