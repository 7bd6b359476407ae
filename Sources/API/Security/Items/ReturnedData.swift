internal import Glibc
internal import LinuxSystem

/// Data handed to a program: `NSData` whose bytes are wiped when it goes.
///
/// It is `ContiguousBytes` because only then `as? Data` copies it at once; for any other `NSData` on Linux the cast copies byte
/// by byte.
@safe final class ReturnedData: NSData, ContiguousBytes {
    private let storage: UnsafeMutableRawPointer
    private let size: Int

    init(copying span: Span<UInt8>) {
        size = span.count
        unsafe storage = UnsafeMutableRawPointer.allocate(byteCount: Swift.max(span.count, 1), alignment: 16)
        unsafe span.withUnsafeBytes { source in
            if let start = source.baseAddress { unsafe storage.copyMemory(from: start, byteCount: source.count) }
        }
        unsafe super.init(bytes: nil, length: 0)
    }

    required init?(coder: NSCoder) { nil }

    deinit {
        unsafe explicit_bzero(storage, size)
        unsafe storage.deallocate()
    }

    override var length: Int { size }
    override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(storage) }

    func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try unsafe body(UnsafeRawBufferPointer(start: storage, count: size))
    }
}
