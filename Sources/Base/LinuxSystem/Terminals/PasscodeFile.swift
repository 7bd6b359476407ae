import CLinux
import Glibc

/// The form in which a passcode travels between processes: a sealed memory file or a pipe, which intermediate processes
/// pass on without reading it.
package enum PasscodeFile {
    /// Makes a memory file with these bytes that nobody can change or resize.
    ///
    /// - Throws: `SystemError` of `memfd_create`, `write` or `fcntl`.
    package static func make(_ bytes: SecretBytes) throws(SystemError) -> FileDescriptor {
        let number = try bytes.withSpan { (span) throws(SystemError) in
            try unsafe span.withUnsafeBufferPointer { (bytes) throws(SystemError) in
                try retrying("memfd_create") { unsafe clinux_sealed_file("passcode", bytes.baseAddress, bytes.count) }
            }
        }
        return FileDescriptor(owning: number)
    }

    /// Reads a passcode that another process sent.
    ///
    /// Only memory files and pipes are read: a file on a disk or on the sender's own file system could block the reader
    /// forever.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of bytes.
    ///   - deadline: when the writer of a pipe must have closed it.
    /// - Throws: `SystemError`: `EINVAL` when it is neither a sealed memory file nor a pipe, `EFBIG` when it has more
    ///   bytes, `ETIMEDOUT` when the deadline passed first; that of `fcntl`, `poll` or `read`.
    package static func read(
        _ file: FileDescriptor, limit: Int, deadline: Deadline
    ) throws(SystemError) -> SecretBytes {
        guard file.holdsPasscode else {
            throw SystemError(
                code: EINVAL, call: "read", advice: "a passcode comes as a sealed memory file or through a pipe")
        }
        // The sender shares the position in a memory file and may have left it anywhere. A pipe has no position.
        _ = lseek(file.number, 0, SEEK_SET)
        // Another reader of the pipe could take the bytes between poll and read.
        try file.setNonBlocking()
        // A memory file has the size that it will keep.
        let most = file.isPipe ? limit : min(limit, max(0, Int(try FileStatus(of: file).size)))
        let room = SecretBytes(count: most + 1)
        let count = try room.withMutableSpan { (span) throws(SystemError) in
            try file.readFully(into: &span, deadline: deadline)
        }
        guard count <= limit else {
            throw SystemError(code: EFBIG, call: "read", advice: "at most \(limit) bytes are allowed")
        }
        return room.withSpan { SecretBytes(copying: $0.extracting(..<count)) }
    }
}

extension FileDescriptor {
    /// Whether it may contain a passcode: it is a memory file of fixed size, or a pipe. No file system is asked.
    package var holdsPasscode: Bool { isPipe || clinux_is_sealed(number) == 1 }
    /// Whether it is a pipe. No file system is asked.
    package var isPipe: Bool { clinux_is_pipe(number) == 1 }
    /// Whether it is a device, as far as the kernel knows without asking a file system.
    package var isDevice: Bool { clinux_is_device(number) == 1 }
}

// MARK: - Answers of the other process

extension PasscodeFile {
    /// Makes a memory file of zero bytes that another process may write a secret into, and nobody can resize.
    ///
    /// - Throws: `SystemError` of `memfd_create` or `fcntl`.
    package static func makeRoom(_ count: Int) throws(SystemError) -> FileDescriptor {
        FileDescriptor(owning: try retrying("memfd_create") { unsafe clinux_memory_file("secret", max(0, count)) })
    }

    /// Writes a secret into such a file, from its beginning.
    ///
    /// - Throws: `SystemError`: `EINVAL` when it is not such a file, `EFBIG` when it is too small; that of `write`.
    package static func fill(_ file: FileDescriptor, with bytes: SecretBytes) throws(SystemError) {
        guard clinux_is_sealed(file.number) == 1 else {
            throw SystemError(
                code: EINVAL, call: "write", advice: "the answer goes into a memory file that cannot be resized")
        }
        guard try FileStatus(of: file).size >= bytes.count else { throw SystemError(code: EFBIG, call: "write") }
        _ = lseek(file.number, 0, SEEK_SET)
        try bytes.withSpan { (bytes) throws(SystemError) in try file.writeFully(bytes) }
    }
}
