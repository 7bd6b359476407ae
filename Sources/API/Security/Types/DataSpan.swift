internal import LinuxSystem

extension NSData {
    /// Lends the bytes where they are.
    func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
        return try unsafe body(buffer.assumingMemoryBound(to: UInt8.self).span)
    }
}
