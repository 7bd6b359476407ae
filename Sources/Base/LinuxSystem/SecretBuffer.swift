import Glibc

/// A growable run of secret bytes: what frames and plaintext are written into.
///
/// One owner at a time; growing moves the bytes into a larger block and wipes the old one.
@safe package final class SecretBuffer {
    /// How many bytes have been written.
    package private(set) var count = 0
    private var block: LockedBlock

    /// Makes an empty buffer with room for `capacity` bytes.
    package init(capacity: Int = 2048) { unsafe block = LockedArena.take(capacity) }

    deinit { unsafe LockedArena.giveBack(block, used: block.capacity) }

    /// Appends one byte.
    @inline(__always)
    package func append(_ byte: UInt8) {
        reserve(1)
        unsafe block.start[count] = byte
        count += 1
    }

    /// Appends an integer, least significant byte first.
    @inline(__always)
    package func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        let size = MemoryLayout<Integer>.size
        reserve(size)
        unsafe UnsafeMutableRawPointer(block.start + count).storeBytes(of: value.littleEndian, as: Integer.self)
        count += size
    }

    /// Appends a copy of the bytes.
    package func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe memcpy(block.start + count, start, source.count)
        }
        count += bytes.count
    }

    /// Appends the bytes that `body` writes into a span of `size` zero bytes; when it throws, nothing was appended.
    package func append<Failure: Error>(
        count size: Int, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        reserve(size)
        var span = unsafe MutableSpan(_unsafeStart: block.start + count, count: size)
        do { try body(&span) } catch {
            unsafe memset(block.start + count, 0, size)
            throw error
        }
        count += size
    }

    /// Writes an integer over bytes that are already there, such as a length known only at the end.
    package func overwrite<Integer: FixedWidthInteger>(littleEndian value: Integer, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<Integer>.size <= count, "overwrites only what was written")
        unsafe UnsafeMutableRawPointer(block.start + offset).storeBytes(of: value.littleEndian, as: Integer.self)
    }

    /// Forgets and wipes everything after the first `newCount` bytes.
    package func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count, "truncates only what was written")
        unsafe memset(block.start + newCount, 0, count - newCount)
        count = newCount
    }

    /// Forgets and wipes everything; the room stays.
    package func removeAll() { truncate(to: 0) }

    /// Lends what was written for reading.
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: UnsafePointer(block.start), count: count))
    }

    /// Lends what was written for changing in place.
    package func withMutableSpan<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe MutableSpan(_unsafeStart: block.start, count: count)
        return try body(&span)
    }

    /// A copy of what was written, or of a part of it, to keep.
    package func copy(from offset: Int = 0) -> SecretBytes {
        withSpan { SecretBytes(copying: $0.extracting(min(offset, count)...)) }
    }

    @inline(__always)
    private func reserve(_ more: Int) {
        if unsafe count + more > block.capacity { grow(to: count + more) }
    }

    private func grow(to needed: Int) {
        let larger = unsafe LockedArena.take(max(needed, block.capacity * 2))
        unsafe memcpy(larger.start, block.start, count)
        unsafe LockedArena.giveBack(block, used: count)
        unsafe block = larger
    }
}
