import COpenSSL
import LinuxSystem

/// The group of P-256, for protocols that compute with points. Belongs to one thread.
///
/// OpenSSL multiplies one point by one secret number in constant time. Two products in one call are not, so each is
/// computed by itself.
@safe final class CurveP256 {
    /// The size of a point in bytes: 04 ‖ X ‖ Y.
    static let pointSize = 65
    /// The size of a number below the order in bytes.
    static let scalarSize = 32

    private let group: OpaquePointer
    private let context: OpaquePointer

    /// - Throws: `CryptoError.libraryFailure`.
    init() throws(CryptoError) {
        let group = try unsafe made(EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1))
        guard let context = unsafe BN_CTX_secure_new() else {
            unsafe EC_GROUP_free(group)
            throw .libraryFailure
        }
        unsafe (self.group, self.context) = (group, context)
    }

    deinit {
        unsafe BN_CTX_free(context)
        unsafe EC_GROUP_free(group)
    }

    /// A point of the group, wiped when it is freed.
    @safe final class Point {
        fileprivate let reference: OpaquePointer

        fileprivate init(of curve: CurveP256) throws(CryptoError) {
            unsafe reference = try made(EC_POINT_new(curve.group))
        }

        deinit { unsafe EC_POINT_clear_free(reference) }
    }

    /// A random number from 1 to the order less 1.
    func randomScalar() throws(CryptoError) -> BigNumber {
        let number = try BigNumber()
        repeat {
            let order = unsafe EC_GROUP_get0_order(group)
            try succeed(unsafe BN_priv_rand_range(number.reference, order))
        } while number.bits == 0
        return number.asSecret
    }

    /// A number below the order, from more bytes than it has: with 8 more it is as good as uniform.
    func scalar(_ bytes: Span<UInt8>) throws(CryptoError) -> BigNumber {
        let (wide, number) = (try BigNumber(bytes).asSecret, try BigNumber())
        let order = unsafe EC_GROUP_get0_order(group)
        try succeed(unsafe BN_nnmod(number.reference, wide.reference, order, context))
        return number.asSecret
    }

    /// Reads a point: 04 ‖ X ‖ Y on the curve, or 02 or 03 ‖ X.
    ///
    /// - Throws: `CryptoError.malformedKey` for anything else, infinity included.
    func point(_ bytes: Span<UInt8>) throws(CryptoError) -> Point {
        let isWhole = bytes.count == Self.pointSize && bytes[0] == 4
        guard isWhole || bytes.count == 33 && (bytes[0] == 2 || bytes[0] == 3) else { throw .malformedKey }
        let point = try Point(of: self)
        try unsafe withAddress(of: bytes) { (start, count) throws(CryptoError) in
            try succeed(unsafe EC_POINT_oct2point(group, point.reference, start, count, context), or: .malformedKey)
        }
        return point
    }

    /// The number times the generator.
    func product(_ number: BigNumber) throws(CryptoError) -> Point {
        let result = try Point(of: self)
        try succeed(unsafe EC_POINT_mul(group, result.reference, number.reference, nil, nil, context))
        return result
    }

    /// The number times the point.
    func product(_ number: BigNumber, _ point: Point) throws(CryptoError) -> Point {
        let result = try Point(of: self)
        let done = unsafe EC_POINT_mul(group, result.reference, nil, point.reference, number.reference, context)
        try succeed(done)
        return result
    }

    func sum(_ one: Point, _ other: Point) throws(CryptoError) -> Point {
        let result = try Point(of: self)
        try succeed(unsafe EC_POINT_add(group, result.reference, one.reference, other.reference, context))
        return result
    }

    func difference(_ one: Point, _ other: Point) throws(CryptoError) -> Point {
        let result = try Point(of: self)
        try succeed(unsafe EC_POINT_copy(result.reference, other.reference))
        try succeed(unsafe EC_POINT_invert(group, result.reference, context))
        try succeed(unsafe EC_POINT_add(group, result.reference, one.reference, result.reference, context))
        return result
    }

    /// The point as 04 ‖ X ‖ Y.
    ///
    /// - Throws: `CryptoError.malformedKey` for infinity.
    func bytes(of point: Point) throws(CryptoError) -> SecretBytes {
        guard unsafe EC_POINT_is_at_infinity(group, point.reference) == 0 else { throw .malformedKey }
        let bytes = SecretBytes(count: Self.pointSize)
        try bytes.withMutableSpan { (span) throws(CryptoError) in
            try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
                let count = unsafe EC_POINT_point2oct(
                    group, point.reference, POINT_CONVERSION_UNCOMPRESSED, span.baseAddress, span.count, context)
                guard count == Self.pointSize else { throw .libraryFailure }
            }
        }
        return bytes
    }
}

extension BigNumber {
    /// The same number, marked as a secret for OpenSSL.
    fileprivate var asSecret: BigNumber {
        unsafe BN_set_flags(reference, BN_FLG_CONSTTIME)
        return self
    }
}
