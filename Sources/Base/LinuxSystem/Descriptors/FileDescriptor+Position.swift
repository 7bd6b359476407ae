import Glibc

/// Reading and writing at an offset, independent of the file's own position.
extension FileDescriptor {
    /// Reads from `offset` on until the span is full or the file ends, and returns the number of bytes.
    ///
    /// - Throws: `SystemError` of `pread`; `EINVAL` for an impossible offset.
    package func read(at offset: UInt64, into span: inout MutableSpan<UInt8>) throws(SystemError) -> Int {
        guard let start = off_t(exactly: offset), start <= off_t.max - off_t(span.count) else {
            throw SystemError(code: EINVAL, call: "pread", advice: "no file has so many bytes")
        }
        return try unsafe span.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
            var filled = 0
            while filled < bytes.count {
                let rest = unsafe UnsafeMutableBufferPointer(rebasing: bytes[filled...])
                let count = try retrying("pread") {
                    unsafe pread(number, rest.baseAddress, rest.count, start + off_t(filled))
                }
                if count == 0 { break }
                filled += count
            }
            return filled
        }
    }

    /// Reads `count` bytes from `offset` on; fewer when the file ends before.
    ///
    /// - Throws: as ``read(at:into:)``.
    package func read(at offset: UInt64, count: Int) throws(SystemError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        let read = try read(at: offset, into: &span)
        bytes.removeLast(count - read)
        return bytes
    }

    /// Writes all of a span at an offset of the file.
    ///
    /// - Throws: `SystemError` of `pwrite`.
    package func write(_ span: Span<UInt8>, at offset: UInt64) throws(SystemError) {
        var written = 0
        while written < span.count {
            let place = off_t(truncatingIfNeeded: offset) + off_t(written)
            written += try unsafe span.extracting(written...).withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try retrying("pwrite") { unsafe pwrite(number, bytes.baseAddress, bytes.count, place) }
            }
        }
    }
}
