internal import Glibc
internal import LinuxSystem

/// Data handed to a program: `NSData` whose bytes are wiped when it goes.
///
/// It is `ContiguousBytes` because only then `as? Data` copies it at once; for any other `NSData` on Linux the cast
/// copies byte by byte.
@safe final class ReturnedData: NSData, ContiguousBytes {
    private let storage: UnsafeMutableRawPointer
    private let size: Int

    init(copying span: Span<UInt8>) {
        size = span.count
        let copy = UnsafeMutableRawPointer.allocate(byteCount: Swift.max(span.count, 1), alignment: 16)
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe copy.copyMemory(from: start, byteCount: source.count) }
        }
        unsafe storage = copy
        // The superclass keeps nothing: what it would keep, nobody would wipe.
        unsafe super.init(bytesNoCopy: copy, length: 0, deallocator: { _, _ in })
    }

    required init?(coder: NSCoder) { nil }

    deinit {
        unsafe explicit_bzero(storage, size)
        unsafe storage.deallocate()
    }

    override var length: Int { size }
    override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(storage) }

    override func enumerateBytes(_ block: (UnsafeRawPointer, NSRange, UnsafeMutablePointer<Bool>) -> Void) {
        var stop = false
        unsafe block(bytes, NSRange(location: 0, length: size), &stop)
    }

    /// It does not change, so a copy is the same.
    override func copy(with zone: NSZone? = nil) -> Any { self }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: storage, count: size))
    }
}

extension NSData {
    /// Lends the bytes where they are.
    func withSpan<Result, Failure: Error>(_ body: (Span<UInt8>) throws(Failure) -> Result) throws(Failure) -> Result {
        defer { extendLifetime(self) }
        let buffer = unsafe UnsafeRawBufferPointer(start: bytes, count: length)
        return try unsafe body(buffer.assumingMemoryBound(to: UInt8.self).span)
    }
}
