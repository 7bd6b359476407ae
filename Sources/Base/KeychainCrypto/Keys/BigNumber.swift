import COpenSSL
import LinuxSystem

/// A large integer of OpenSSL, wiped when it is freed. Belongs to one thread.
@safe final class BigNumber {
    let reference: OpaquePointer

    init() throws(CryptoError) { unsafe reference = try made(BN_new()) }

    /// Takes ownership of a number that OpenSSL has made.
    init(adopting number: OpaquePointer?) throws(CryptoError) { unsafe reference = try made(number) }

    /// Reads a number, most significant byte first.
    init(_ bytes: Span<UInt8>) throws(CryptoError) {
        unsafe reference = try unsafe withAddress(of: bytes) { (start, count) throws(CryptoError) in
            try unsafe made(BN_bin2bn(start, CInt(count), nil))
        }
    }

    deinit { unsafe BN_clear_free(reference) }

    var bits: Int { unsafe Int(BN_num_bits(reference)) }
    var isOdd: Bool { unsafe BN_is_odd(reference) == 1 }
    var isOne: Bool { unsafe BN_is_one(reference) == 1 }

    /// Writes the number, most significant byte first, into `count` bytes of the span.
    ///
    /// - Throws: `CryptoError.libraryFailure` when it does not fit.
    func write(to span: inout MutableSpan<UInt8>, at offset: Int, count: Int) throws(CryptoError) {
        guard offset >= 0, count > 0, offset <= span.count - count else { throw .libraryFailure }
        try unsafe span.withUnsafeMutableBufferPointer { (span) throws(CryptoError) in
            let start = unsafe span.baseAddress.map { unsafe $0 + offset }
            try succeed(unsafe BN_bn2binpad(reference, start, CInt(count)))
        }
    }

    static func == (left: BigNumber, right: BigNumber) -> Bool { unsafe BN_cmp(left.reference, right.reference) == 0 }
}

/// Arithmetic on the parts of a key, to check that they belong together.
@safe final class BigArithmetic {
    private let context: OpaquePointer

    init() throws(CryptoError) { unsafe context = try made(BN_CTX_secure_new()) }

    deinit { unsafe BN_CTX_free(context) }

    func product(_ left: BigNumber, _ right: BigNumber) throws(CryptoError) -> BigNumber {
        let result = try BigNumber()
        try succeed(unsafe BN_mul(result.reference, left.reference, right.reference, context))
        return result
    }

    func product(_ left: BigNumber, _ right: BigNumber, modulo: BigNumber) throws(CryptoError) -> BigNumber {
        let result = try BigNumber()
        let done = unsafe BN_mod_mul(result.reference, left.reference, right.reference, modulo.reference, context)
        try succeed(done)
        return result
    }

    func remainder(_ number: BigNumber, modulo: BigNumber) throws(CryptoError) -> BigNumber {
        let result = try BigNumber()
        try succeed(unsafe BN_div(nil, result.reference, number.reference, modulo.reference, context))
        return result
    }

    /// The number minus one, marked as a secret: OpenSSL then divides by it in constant time.
    func predecessor(_ number: BigNumber) throws(CryptoError) -> BigNumber {
        let result = try unsafe BigNumber(adopting: BN_dup(number.reference))
        try succeed(unsafe BN_sub_word(result.reference, 1))
        unsafe BN_set_flags(result.reference, BN_FLG_CONSTTIME)
        return result
    }
}
