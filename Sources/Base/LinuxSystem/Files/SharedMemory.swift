import CLinux
import Glibc
import Synchronization

/// Memory shared by two processes: an anonymous file of fixed size that both map, excluded from core dumps.
///
/// The other process may write at any time. Bytes are therefore copied in and out and never lent: the checked bytes
/// must be the ones that are used. ``word(at:)`` returns a word to wait on.
@safe package final class SharedMemory: @unchecked Sendable {
    /// The file to pass to the other process.
    package let descriptor: FileDescriptor
    /// The size in bytes.
    package let count: Int
    fileprivate let start: UnsafeMutableRawPointer

    /// Creates a memory of `count` zero bytes.
    ///
    /// - Throws: `SystemError` of `memfd_create` or `mmap`.
    package convenience init(count: Int) throws(SystemError) {
        let number = try retrying("memfd_create") { unsafe clinux_memory_file("keychain", max(0, count)) }
        try self.init(receiving: FileDescriptor(owning: number), count: count)
    }

    /// Maps memory that another process made.
    ///
    /// - Throws: `SystemError` of `mmap`; `EINVAL` when the file has another size or could be resized, which would end
    ///   this process at its next access.
    package init(receiving descriptor: FileDescriptor, count: Int) throws(SystemError) {
        guard clinux_is_sealed(descriptor.number) == 1, try FileStatus(of: descriptor).size == count else {
            throw SystemError(code: EINVAL, call: "mmap", advice: "not a sealed memory file of \(count) bytes")
        }
        let mapped = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor.number, 0)
        guard let start = unsafe mapped, unsafe start != MAP_FAILED else {
            throw SystemError(code: errno, call: "mmap")
        }
        // Both are precautions. If they fail, the secrets may get into swap or into a core file.
        unsafe mlock(start, count)
        unsafe madvise(start, count, MADV_DONTDUMP)
        (self.descriptor, self.count) = (descriptor, count)
        unsafe self.start = start
    }

    deinit { unsafe munmap(start, count) }

    /// Copies bytes into the memory.
    package func write(_ span: Span<UInt8>, at offset: Int) {
        check(offset, span.count)
        unsafe span.withUnsafeBufferPointer { source in
            guard let bytes = source.baseAddress else { return }
            unsafe memcpy(start + offset, bytes, source.count)
        }
    }

    /// Copies bytes from the memory.
    package func read(at offset: Int, into span: inout MutableSpan<UInt8>) {
        check(offset, span.count)
        unsafe span.withUnsafeMutableBufferPointer { target in
            guard let bytes = target.baseAddress else { return }
            unsafe memcpy(bytes, start + offset, target.count)
        }
    }

    /// Wipes bytes of the memory.
    package func wipe(at offset: Int, count size: Int) {
        check(offset, size)
        unsafe clinux_wipe(start + offset, size)
    }

    /// The four bytes at an offset divisible by four, as a word to wait on.
    package func word(at offset: Int) -> SharedWord {
        check(offset, 4)
        precondition(offset % 4 == 0, "a word begins at a multiple of four")
        return SharedWord(in: self, at: offset)
    }

    // Offsets come from this process; an offset from the peer is checked where it is read.
    private func check(_ offset: Int, _ size: Int) {
        precondition(offset >= 0 && size >= 0 && offset <= count - size, "outside the shared memory")
    }
}

/// A word of shared memory that processes change atomically and wait on (futex(2)).
@safe package struct SharedWord: @unchecked Sendable {
    /// Keeps the word's memory alive.
    private let owner: AnyObject
    private let word: UnsafeMutablePointer<Atomic<UInt32>>

    fileprivate init(in memory: SharedMemory, at offset: Int) {
        owner = memory
        unsafe word = (memory.start + offset).assumingMemoryBound(to: Atomic<UInt32>.self)
    }

    /// A word in this process's own memory that begins at 0, for words that only threads share.
    package init() {
        let memory = OwnWord()
        owner = memory
        unsafe word = memory.word
    }

    /// Reads the word with acquire ordering: everything that the other process wrote before it stored this value is
    /// visible afterwards.
    package func load() -> UInt32 { unsafe word.pointee.load(ordering: .acquiring) }

    /// Writes the word with release ordering: everything written before is visible to a thread that loads this value.
    package func store(_ value: UInt32) { unsafe word.pointee.store(value, ordering: .releasing) }

    /// Writes the word and returns its old value.
    package func exchange(_ value: UInt32) -> UInt32 {
        unsafe word.pointee.exchange(value, ordering: .acquiringAndReleasing)
    }

    /// Adds to the word, wrapping around, and returns the sum.
    package func add(_ amount: UInt32) -> UInt32 {
        unsafe word.pointee.wrappingAdd(amount, ordering: .acquiringAndReleasing).newValue
    }

    /// Sleeps while the word is `value`. It may also return early, so the caller must check again.
    ///
    /// - Returns: false when the deadline passed.
    package func wait(while value: UInt32, deadline: Deadline) -> Bool {
        let left = deadline.remainingNanoseconds.map { Int64(clamping: $0) } ?? -1
        let result = unsafe clinux_futex_wait(word, value, left)
        return !(result < 0 && errno == ETIMEDOUT)
    }

    /// Wakes up to `count` threads that sleep on the word, and returns their number.
    @discardableResult
    package func wake(count: Int = 1) -> Int { unsafe Int(max(0, clinux_futex_wake(word, CInt(clamping: count)))) }
}

/// The memory of a word that only this process sees.
@safe private final class OwnWord {
    let word = UnsafeMutablePointer<Atomic<UInt32>>.allocate(capacity: 1)

    init() { unsafe word.initialize(to: Atomic(0)) }

    deinit {
        unsafe word.deinitialize(count: 1)
        unsafe word.deallocate()
    }
}
