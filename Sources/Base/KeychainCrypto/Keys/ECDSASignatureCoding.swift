import COpenSSL
import KeychainModel
import LinuxSystem

/// The two numbers of an ECDSA signature, in either of their encodings.
@safe package final class ECDSASignature {
    private let reference: OpaquePointer

    /// Reads DER `SEQUENCE { r, s }` (ANSI X9.62).
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, or trailing bytes.
    package init(x962 bytes: Span<UInt8>) throws(CryptoError) {
        unsafe reference = try unsafe decoded(
            bytes, by: { unsafe d2i_ECDSA_SIG(nil, &$0, $1) }, orFree: ECDSA_SIG_free)
    }

    /// Reads r ‖ s, each as long as the field (RFC 4754).
    ///
    /// - Throws: `CryptoError.malformedKey` for another length; `.unsupportedKeySize`, `.libraryFailure`.
    package init(plain bytes: Span<UInt8>, bits: Int) throws(CryptoError) {
        let size = try Curve(bits: bits).fieldSize
        guard bytes.count == 2 * size else { throw .malformedKey }
        let made = unsafe try made(ECDSA_SIG_new())
        unsafe reference = unsafe made
        let set = unsafe bytes.withUnsafeBufferPointer { bytes in
            let (r, s) = unsafe (
                BN_bin2bn(bytes.baseAddress, CInt(size), nil),
                BN_bin2bn(bytes.baseAddress.map { unsafe $0 + size }, CInt(size), nil)
            )
            // OpenSSL takes ownership of both numbers.
            return unsafe ECDSA_SIG_set0(made, r, s)
        }
        try succeed(set)
    }

    deinit { unsafe ECDSA_SIG_free(reference) }

    /// DER `SEQUENCE { r, s }`.
    ///
    /// - Throws: `CryptoError.libraryFailure`.
    package func x962() throws(CryptoError) -> [UInt8] {
        try unsafe encoded { unsafe i2d_ECDSA_SIG(reference, &$0) }
    }

    /// r ‖ s, each as long as the field.
    ///
    /// - Throws: `CryptoError.libraryFailure` when a number does not fit; `.unsupportedKeySize`.
    package func plain(bits: Int) throws(CryptoError) -> [UInt8] {
        let size = try Curve(bits: bits).fieldSize
        var plain = [UInt8](repeating: 0, count: 2 * size)
        var span = plain.mutableSpan
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            let start = span.baseAddress
            let (r, s) = unsafe (ECDSA_SIG_get0_r(reference), ECDSA_SIG_get0_s(reference))
            try succeed(unsafe BN_bn2binpad(r, start, CInt(size)))
            try succeed(unsafe BN_bn2binpad(s, start.map { unsafe $0 + size }, CInt(size)))
        }
        return plain
    }
}
