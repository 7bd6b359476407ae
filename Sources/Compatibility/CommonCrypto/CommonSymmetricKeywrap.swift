internal import KeychainCrypto
internal import LinuxSystem

/// How a key is wrapped: `kCCWRAPAES`.
public typealias CCWrappingAlgorithm = UInt32
/// AES Key Wrap (RFC 3394).
public let kCCWRAPAES = 1

/// The initial value that RFC 3394 names: eight bytes.
@safe nonisolated(unsafe) public let CCrfc3394_iv: UnsafePointer<UInt8> = {
    // Never freed: a constant of the program.
    let place = UnsafeMutablePointer<UInt8>.allocate(capacity: CCrfc3394_ivLen)
    unsafe place.initialize(repeating: 0xA6, count: CCrfc3394_ivLen)
    return unsafe UnsafePointer(place)
}()
/// The size of ``CCrfc3394_iv`` in bytes.
public let CCrfc3394_ivLen = 8

/// Wraps a key under another key.
///
/// - Parameters:
///   - iv: eight bytes, or nil for ``CCrfc3394_iv``.
///   - kek: the key that wraps, of 16, 24 or 32 bytes.
///   - rawKey: the key to wrap, of 16 bytes or more, a multiple of 8.
///   - wrappedKeyLen: the capacity of `wrappedKey` in bytes; receives the size of the wrapped key.
/// - Returns: `kCCSuccess`; `kCCParamError` for an invalid parameter or too small a capacity.
@discardableResult
public func CCSymmetricKeyWrap(
    _ algorithm: CCWrappingAlgorithm, _ iv: UnsafePointer<UInt8>!, _ ivLen: Int, _ kek: UnsafePointer<UInt8>!,
    _ kekLen: Int, _ rawKey: UnsafePointer<UInt8>!, _ rawKeyLen: Int, _ wrappedKey: UnsafeMutablePointer<UInt8>!,
    _ wrappedKeyLen: UnsafeMutablePointer<Int>!
) -> Int32 {
    unsafe hand(CCSymmetricWrappedSize(algorithm, rawKeyLen), to: wrappedKey, wrappedKeyLen) {
        () throws(CryptoError) in
        try unsafe KeyWrap.wrap(
            bytes(rawKey, rawKeyLen).span, under: bytes(kek, kekLen).span, iv: initialValue(iv, ivLen).span)
    }
}

/// Unwraps a key.
///
/// - Parameters:
///   - iv: eight bytes, or nil for ``CCrfc3394_iv``.
///   - rawKeyLen: the capacity of `rawKey` in bytes; receives the size of the key.
/// - Returns: `kCCSuccess`; `kCCDecodeError` for a key that was wrapped under another key; `kCCParamError` for data
///   that is no wrapped key, or too small a capacity.
@discardableResult
public func CCSymmetricKeyUnwrap(
    _ algorithm: CCWrappingAlgorithm, _ iv: UnsafePointer<UInt8>!, _ ivLen: Int, _ kek: UnsafePointer<UInt8>!,
    _ kekLen: Int, _ wrappedKey: UnsafePointer<UInt8>!, _ wrappedKeyLen: Int, _ rawKey: UnsafeMutablePointer<UInt8>!,
    _ rawKeyLen: UnsafeMutablePointer<Int>!
) -> Int32 {
    unsafe hand(CCSymmetricUnwrappedSize(algorithm, wrappedKeyLen), to: rawKey, rawKeyLen) { () throws(CryptoError) in
        try unsafe KeyWrap.unwrap(
            bytes(wrappedKey, wrappedKeyLen).span, under: bytes(kek, kekLen).span, iv: initialValue(iv, ivLen).span)
    }
}

/// Returns how large a key of `rawKeyLen` bytes is when it is wrapped.
public func CCSymmetricWrappedSize(_ algorithm: CCWrappingAlgorithm, _ rawKeyLen: Int) -> Int {
    let (size, isTooLarge) = rawKeyLen.addingReportingOverflow(KeyWrap.overhead)
    return isTooLarge ? .max : size
}

/// Returns how large a wrapped key of `wrappedKeyLen` bytes is when it is unwrapped.
public func CCSymmetricUnwrappedSize(_ algorithm: CCWrappingAlgorithm, _ wrappedKeyLen: Int) -> Int {
    max(0, wrappedKeyLen - KeyWrap.overhead)
}

private func initialValue(_ iv: UnsafePointer<UInt8>?, _ count: Int) throws(CryptoError) -> UnsafeBufferPointer<UInt8> {
    guard let iv = unsafe iv else { return unsafe bytes(nil, 0) }
    guard count >= CCrfc3394_ivLen else { throw .invalidParameter }
    return unsafe bytes(iv, CCrfc3394_ivLen)
}

/// Makes a key and writes it if the caller's capacity suffices.
private func hand(
    _ size: Int, to place: UnsafeMutablePointer<UInt8>?, _ room: UnsafeMutablePointer<Int>?,
    _ make: () throws(CryptoError) -> SecretBytes
) -> Int32 {
    guard let place = unsafe place, let room = unsafe room, unsafe room.pointee >= size else {
        return Int32(kCCParamError)
    }
    do throws(CryptoError) {
        let key = try make()
        key.withSpan { key in for index in key.indices { unsafe place[index] = key[index] } }
        unsafe room.pointee = key.count
        return Int32(kCCSuccess)
    } catch {
        unsafe room.pointee = 0
        return error == .authenticationFailed ? Int32(kCCDecodeError) : Int32(kCCParamError)
    }
}
