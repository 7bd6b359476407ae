internal import LinuxSystem

/// A result of ``CCRandomGenerateBytes(_:_:)``.
public typealias CCRNGStatus = CCCryptorStatus

/// Fills memory with random bytes from the kernel, fit for keys.
///
/// - Parameters:
///   - bytes: the destination, with a capacity of `count` bytes.
///   - count: the number of bytes.
/// - Returns: `kCCSuccess`; `kCCParamError` for no memory, or a negative number. Without randomness the program stops.
@discardableResult
public func CCRandomGenerateBytes(_ bytes: UnsafeMutableRawPointer!, _ count: Int) -> CCRNGStatus {
    guard let start = unsafe bytes, count >= 0 else { return CCRNGStatus(kCCParamError) }
    var span = unsafe MutableSpan(_unsafeStart: start.assumingMemoryBound(to: UInt8.self), count: count)
    Randomness.fill(&span)
    return CCRNGStatus(kCCSuccess)
}
