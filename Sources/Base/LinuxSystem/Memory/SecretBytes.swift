import Glibc

/// Bytes nobody else may see: kept in locked memory that no core dump contains, wiped when the last owner lets go.
///
/// There is deliberately no `description` and no conversion to `String` or `[UInt8]`. The bytes are not changed once
/// the object is shared between threads, which is what makes it safe to send.
@safe @usableFromInline package final class SecretBytes: @unchecked Sendable {
    /// How many bytes there are.
    @usableFromInline package let count: Int
    @usableFromInline let block: LockedBlock

    /// Makes `count` zero bytes, to be filled with ``withMutableSpan(_:)`` before they are shared.
    package init(count: Int) {
        self.count = count
        unsafe block = LockedArena.take(count)
    }

    /// Takes over the first `count` bytes of a block; those behind them are zero.
    init(_ block: LockedBlock, count: Int) {
        self.count = count
        unsafe self.block = unsafe block
    }

    /// Copies bytes that live elsewhere; wiping the original is the caller's duty.
    package convenience init(copying source: Span<UInt8>) {
        self.init(count: source.count)
        unsafe source.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe memcpy(block.start, start, bytes.count)
        }
    }

    deinit { unsafe LockedArena.giveBack(block, used: count) }

    /// Lends the bytes for reading.
    @inlinable
    package func withSpan<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(unsafe Span(_unsafeStart: UnsafePointer(block.start), count: count))
    }

    /// Lends the bytes for writing; only the sole owner may call this.
    @inlinable
    package func withMutableSpan<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe MutableSpan(_unsafeStart: block.start, count: count)
        return try body(&span)
    }

    /// Compares in a time that depends on the lengths alone.
    package func isEqual(to other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { unsafe difference |= block.start[index] ^ other.block.start[index] }
        return difference == 0
    }
}
