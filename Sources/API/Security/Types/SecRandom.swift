internal import LinuxSystem

/// A source of random bytes.
public typealias SecRandomRef = OpaquePointer

/// The kernel's random number generator, the only source there is.
@safe nonisolated(unsafe) public let kSecRandomDefault: SecRandomRef? = nil

/// Fills memory with random bytes from the kernel, fit for keys.
///
/// - Parameters:
///   - source: `kSecRandomDefault`; as on Apple systems no other is looked at.
///   - count: how many bytes; a negative number gives `errSecParam`.
///   - bytes: where they go; there must be room for `count` bytes.
/// - Returns: `errSecSuccess` or `errSecParam`. There is no other failure: without randomness the program stops.
public func SecRandomCopyBytes(_ source: SecRandomRef?, _ count: Int, _ bytes: UnsafeMutableRawPointer) -> Int32 {
    guard count >= 0 else { return errSecParam }
    let start = unsafe bytes.assumingMemoryBound(to: UInt8.self)
    var span = unsafe MutableSpan(_unsafeStart: start, count: count)
    Randomness.fill(&span)
    return errSecSuccess
}
