import CLinux

/// Unpredictable bytes from the kernel's generator.
package enum Randomness {
    /// Fills the span. It waits at most once per boot, until the generator has been seeded.
    ///
    /// It throws no error: the call cannot fail on any supported kernel, and the process must not continue without
    /// randomness.
    package static func fill(_ span: inout MutableSpan<UInt8>) {
        unsafe span.withUnsafeMutableBufferPointer { bytes in
            var filled = 0
            while let start = bytes.baseAddress, filled < bytes.count {
                let count = try? retrying("getrandom") {
                    unsafe getrandom(start + filled, bytes.count - filled, 0)
                }
                guard let count else { fatalError("getrandom failed: the kernel must be Linux 3.17 or newer") }
                filled += count
            }
        }
    }

    /// Makes an array of `count` random bytes for values that are not secret: identifiers, salts, nonces.
    package static func bytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        fill(&span)
        return bytes
    }
}
