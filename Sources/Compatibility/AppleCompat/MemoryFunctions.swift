internal import Glibc
internal import KeychainCrypto

/// Compares two areas of memory. The time depends on their size alone.
///
/// - Returns: 0 when the bytes are the same, otherwise another number.
public func timingsafe_bcmp(_ b1: UnsafeRawPointer!, _ b2: UnsafeRawPointer!, _ len: Int) -> Int32 {
    guard len > 0 else { return 0 }
    guard let b1 = unsafe b1, let b2 = unsafe b2 else { return 1 }
    let left = unsafe UnsafeBufferPointer(start: b1.assumingMemoryBound(to: UInt8.self), count: len)
    let right = unsafe UnsafeBufferPointer(start: b2.assumingMemoryBound(to: UInt8.self), count: len)
    return unsafe ConstantTime.areEqual(left.span, right.span) ? 0 : 1
}

/// Sets `n` bytes. No optimiser leaves the call out, even if nobody reads them.
///
/// - Parameters:
///   - smax: the size of the memory; more than that is never set.
///   - c: the value, converted to a byte.
/// - Returns: 0; `EINVAL` for no memory; `EOVERFLOW` for `n` above `smax`, of which `smax` are set.
@discardableResult
public func memset_s(_ s: UnsafeMutableRawPointer!, _ smax: Int, _ c: Int32, _ n: Int) -> Int32 {
    guard let start = unsafe s, smax >= 0, n >= 0 else { return EINVAL }
    let count = min(n, smax)
    unsafe explicit_bzero(start, count)
    if c != 0 { unsafe memset(start, c, count) }
    return n > smax ? EOVERFLOW : 0
}
