internal import LinuxSystem

/// A source of random bytes.
public typealias SecRandomRef = OpaquePointer

/// The kernel's random number generator, the only source there is.
@safe nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes from the kernel, fit for keys.
///
/// - Parameters:
///   - source: `kSecRandomDefault`; ignored, as on Apple systems.
///   - count: the number of bytes; a negative number gives `errSecParam`.
///   - bytes: the destination, with a capacity of `count` bytes.
/// - Returns: `errSecSuccess` or `errSecParam`. There is no other failure: without randomness the program stops.
///
/// Source: Apple, SecRandomCopyBytes.
public func SecRandomCopyBytes(_ source: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    let start = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    var span = unsafe MutableSpan(_unsafeStart: start, count: count)
    Randomness.fill(&span)
    return errSecSuccess
}
