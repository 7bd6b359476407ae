import Glibc

/// A growable buffer for secret bytes, such as frames and plaintext.
///
/// It has one owner at a time. Growing moves the bytes into a larger block and wipes the old one. Functions for few
/// bytes are inlinable, and the owner guarantees exclusivity in place of the runtime: both would cost more than the
/// bytes.
@safe @usableFromInline package final class SecretBuffer {
    @exclusivity(unchecked) @usableFromInline var used = 0
    @exclusivity(unchecked) @usableFromInline var block: LockedBlock

    /// How many bytes have been written.
    @inlinable package var count: Int { unsafe used }

    /// Makes an empty buffer with a capacity of `capacity` bytes.
    package init(capacity: Int = 2048) { unsafe block = capacity == 0 ? .empty : LockedArena.take(capacity) }

    deinit { unsafe LockedArena.giveBack(block, used: used) }

    /// Appends one byte.
    @inlinable
    package func append(_ byte: UInt8) {
        reserve(1)
        unsafe block.start[count] = byte
        unsafe used += 1
    }

    /// Appends an integer, least significant byte first.
    @inlinable
    package func append<Integer: FixedWidthInteger>(littleEndian value: Integer) {
        let size = MemoryLayout<Integer>.size
        reserve(size)
        unsafe UnsafeMutableRawPointer(block.start + count).storeBytes(of: value.littleEndian, as: Integer.self)
        unsafe used += size
    }

    /// Appends a copy of the bytes.
    @inlinable
    package func append(_ bytes: Span<UInt8>) {
        reserve(bytes.count)
        unsafe bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            unsafe (block.start + count).update(from: start, count: source.count)
        }
        unsafe used += bytes.count
    }

    /// Appends the bytes that `body` writes into a span of `size` zero bytes; when it throws, nothing is appended.
    @inlinable
    package func append<Failure: Error>(
        count size: Int, _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        reserve(size)
        var span = unsafe MutableSpan(_unsafeStart: block.start + count, count: size)
        do { try body(&span) } catch {
            unsafe (block.start + count).update(repeating: 0, count: size)
            throw error
        }
        unsafe used += size
    }

    /// Writes an integer over bytes that are already there, such as a length known only at the end.
    @inlinable
    package func overwrite<Integer: FixedWidthInteger>(littleEndian value: Integer, at offset: Int) {
        precondition(offset >= 0 && offset + MemoryLayout<Integer>.size <= count, "overwrites only what was written")
        unsafe UnsafeMutableRawPointer(block.start + offset).storeBytes(of: value.littleEndian, as: Integer.self)
    }

    /// Removes and wipes everything after the first `newCount` bytes.
    @inlinable
    package func truncate(to newCount: Int) {
        precondition(newCount >= 0 && newCount <= count, "truncates only what was written")
        unsafe (block.start + newCount).update(repeating: 0, count: count - newCount)
        unsafe used = newCount
    }

    /// Removes and wipes everything, and keeps the capacity.
    @inlinable
    package func removeAll() { truncate(to: 0) }

    /// Lends what was written for reading.
    @inlinable
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: UnsafePointer(block.start), count: count))
    }

    /// Lends what was written for changing in place.
    @inlinable
    package func withMutableSpan<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe MutableSpan(_unsafeStart: block.start, count: count)
        return try body(&span)
    }

    /// Reserves capacity for so many more bytes at once, to avoid repeated doubling.
    package func makeRoom(for more: Int) { reserve(more) }

    /// Returns the written bytes without copying them, and empties the buffer.
    package func finish() -> SecretBytes {
        let finished = unsafe SecretBytes(block, count: count)
        unsafe block = .empty
        unsafe used = 0
        return finished
    }

    /// A copy of the written bytes, or of those from an offset on.
    package func copy(from offset: Int = 0) -> SecretBytes {
        withSpan { SecretBytes(copying: $0.extracting(min(offset, count)...)) }
    }

    @inlinable
    func reserve(_ more: Int) {
        if unsafe count + more > block.capacity { grow(to: count + more) }
    }

    @usableFromInline
    func grow(to needed: Int) {
        let larger = unsafe LockedArena.take(max(needed, block.capacity * 2))
        unsafe memcpy(larger.start, block.start, count)
        unsafe LockedArena.giveBack(block, used: count)
        unsafe block = larger
    }
}
