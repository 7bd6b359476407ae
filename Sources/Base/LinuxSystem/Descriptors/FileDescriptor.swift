import CLinux
import Glibc

/// An open file descriptor, closed with its last owner.
package final class FileDescriptor: Sendable {
    /// The number of the descriptor, valid while this object lives.
    package let number: CInt

    /// Replaces the close by the last owner.
    private let closing: (@Sendable (CInt) -> Void)?

    /// Takes ownership of an open descriptor.
    ///
    /// - Parameter closing: closes it, where the last owner must not (``ForeignFiles``).
    package init(owning number: CInt, closing: (@Sendable (CInt) -> Void)? = nil) {
        (self.number, self.closing) = (number, closing)
    }

    // On Linux an interrupted close has closed the descriptor, so it is not repeated.
    deinit { if let closing { closing(number) } else { close(number) } }

    /// Opens a file; it is always closed on exec.
    ///
    /// - Parameters:
    ///   - flags: `O_RDONLY` and the like.
    ///   - mode: the permissions of a file that is created, less the umask.
    /// - Throws: `SystemError` of `open`.
    package static func open(_ path: String, _ flags: CInt, mode: UInt32 = 0o600) throws(SystemError) -> FileDescriptor
    {
        FileDescriptor(owning: try retrying("open") { unsafe Glibc.open(path, flags | O_CLOEXEC, mode) })
    }

    /// Makes a pipe whose ends are closed on exec and block.
    ///
    /// - Throws: `SystemError` of `pipe2`: too many open files.
    package static func pipe() throws(SystemError) -> (reader: FileDescriptor, writer: FileDescriptor) {
        var ends: (CInt, CInt) = (-1, -1)
        _ = try retrying("pipe2") {
            unsafe withUnsafeMutableBytes(of: &ends) {
                unsafe clinux_pipe($0.assumingMemoryBound(to: CInt.self).baseAddress)
            }
        }
        return (FileDescriptor(owning: ends.0), FileDescriptor(owning: ends.1))
    }

    /// Duplicates an open file that another owner knows by number. The owner keeps that number.
    ///
    /// - Parameter least: the smallest number it may have.
    /// - Throws: `SystemError` of `fcntl`: too many open files; `EBADF` when nothing is open there.
    package static func duplicate(_ number: CInt, from least: CInt = 0) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try retrying("fcntl") { fcntl(number, F_DUPFD_CLOEXEC, least) })
    }

    /// Makes reads and writes return at once when they would block.
    ///
    /// - Throws: `SystemError` of `fcntl`.
    package func setNonBlocking() throws(SystemError) {
        let flags = try retrying("fcntl") { fcntl(number, F_GETFL) }
        _ = try retrying("fcntl") { fcntl(number, F_SETFL, flags | O_NONBLOCK) }
    }
}

// MARK: - Transfer

extension FileDescriptor {
    /// Reads available bytes into the span from `offset` on. It returns 0 at the end, and `nil` when a non-blocking
    /// descriptor would block.
    ///
    /// - Throws: `SystemError` of `read`.
    package func read(
        into span: inout MutableSpan<UInt8>, from offset: Int = 0
    ) throws(SystemError) -> Int? {
        try unsafe span.withUnsafeMutableBufferPointer { (bytes) throws(SystemError) in
            let rest = unsafe UnsafeMutableBufferPointer(rebasing: bytes[offset...])
            return try unlessBlocked("read") { unsafe Glibc.read(number, rest.baseAddress, rest.count) }
        }
    }

    /// Writes as many bytes as possible, and returns `nil` when a non-blocking descriptor would block.
    ///
    /// - Throws: `SystemError` of `write`. A pipe without a reader raises SIGPIPE first, as always.
    package func write(_ span: Span<UInt8>) throws(SystemError) -> Int? {
        try unsafe span.withUnsafeBufferPointer { (bytes) throws(SystemError) in
            try unlessBlocked("write") { unsafe Glibc.write(number, bytes.baseAddress, bytes.count) }
        }
    }

    /// Reads until the span is full or the input ends, and returns the number of bytes.
    ///
    /// - Throws: `SystemError` of `read` or `poll`; `ETIMEDOUT` when the deadline passed first.
    package func readFully(into span: inout MutableSpan<UInt8>, deadline: Deadline = .never) throws(SystemError) -> Int
    {
        var filled = 0
        while filled < span.count {
            try wait(for: .readable, deadline: deadline)
            guard let count = try read(into: &span, from: filled) else { continue }
            if count == 0 { break }
            filled += count
        }
        return filled
    }

    /// Writes all bytes.
    ///
    /// - Throws: `SystemError` of `write` or `poll`; `ETIMEDOUT` when the deadline passed first.
    package func writeFully(_ span: Span<UInt8>, deadline: Deadline = .never) throws(SystemError) {
        var written = 0
        while written < span.count {
            try wait(for: .writable, deadline: deadline)
            written += try write(span.extracting(written...)) ?? 0
        }
    }

    /// Waits until one of the events occurs, or the peer has closed.
    ///
    /// - Throws: `SystemError` of `poll`; `ETIMEDOUT` when the deadline passed first.
    package func wait(for events: Readiness, deadline: Deadline) throws(SystemError) {
        var request = pollfd(fd: number, events: CShort(truncatingIfNeeded: events.rawValue), revents: 0)
        let ready = try retrying("poll") { unsafe poll(&request, 1, deadline.remainingMilliseconds) }
        if ready == 0 { throw SystemError(code: ETIMEDOUT, call: "poll") }
    }
    /// Waits until one of several descriptors is readable, or its peer has closed.
    ///
    /// - Returns: the index of the first ready one.
    /// - Throws: `SystemError` of `poll`; `ETIMEDOUT` when the deadline passed first.
    package static func waitForAny(
        of descriptors: [FileDescriptor], deadline: Deadline
    ) throws(SystemError) -> Int {
        var requests = descriptors.map { pollfd(fd: $0.number, events: CShort(POLLIN), revents: 0) }
        let ready = try retrying("poll") {
            unsafe poll(&requests, nfds_t(requests.count), deadline.remainingMilliseconds)
        }
        guard ready > 0, let index = requests.firstIndex(where: { $0.revents != 0 }) else {
            throw SystemError(code: ETIMEDOUT, call: "poll")
        }
        return index
    }

    /// Waits until one of several descriptors has one of its events, or its peer has closed.
    ///
    /// - Returns: what each is ready for, in their order; nothing for all when the deadline passed.
    /// - Throws: `SystemError` of `poll`.
    package static func wait(
        for events: [(descriptor: FileDescriptor, readiness: Readiness)], deadline: Deadline
    ) throws(SystemError) -> [Readiness] {
        var requests = events.map {
            pollfd(fd: $0.descriptor.number, events: CShort(truncatingIfNeeded: $0.readiness.rawValue), revents: 0)
        }
        _ = try retrying("poll") { unsafe poll(&requests, nfds_t(requests.count), deadline.remainingMilliseconds) }
        return requests.map { Readiness(rawValue: UInt32(truncatingIfNeeded: $0.revents)) }
    }
}
