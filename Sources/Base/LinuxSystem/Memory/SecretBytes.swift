import Glibc

/// Secret bytes, kept in locked memory that no core dump contains, and wiped with the last owner.
///
/// There is deliberately no `description` and no conversion to `String` or `[UInt8]`. It is safe to send because the
/// bytes are not changed once the object is shared between threads.
@safe @usableFromInline package final class SecretBytes: @unchecked Sendable {
    /// The number of bytes.
    @usableFromInline package let count: Int
    @usableFromInline let block: LockedBlock

    /// Makes `count` zero bytes, to be filled with ``withMutableSpan(_:)`` before they are shared.
    package init(count: Int) {
        self.count = count
        unsafe block = LockedArena.take(count)
    }

    /// Takes ownership of the first `count` bytes of a block; those behind them are zero.
    init(_ block: LockedBlock, count: Int) {
        self.count = count
        unsafe self.block = unsafe block
    }

    /// Copies the bytes. The caller must wipe the original.
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

    /// Lends the bytes for writing; only a sole owner may call this.
    @inlinable
    package func withMutableSpan<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        var span = unsafe MutableSpan(_unsafeStart: block.start, count: count)
        return try body(&span)
    }

    /// Compares in constant time: it depends only on the lengths.
    package func isEqual(to other: SecretBytes) -> Bool {
        guard count == other.count else { return false }
        var difference: UInt8 = 0
        for index in 0..<count { unsafe difference |= block.start[index] ^ other.block.start[index] }
        return difference == 0
    }
}
