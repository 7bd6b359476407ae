import CLinux
import Glibc

/// A lock that a process holds on a file (flock). It ends with its release or with its process.
package final class FileLock: Sendable {
    /// Whether others may hold the lock at the same time.
    package enum Kind: Sendable {
        case shared
        case exclusive
    }

    private let file: FileDescriptor
    private let path: String
    private let opened: FileStatus

    /// Takes the lock on the file at the path. The file is created (mode 0600, empty) if it is missing, and never
    /// removed.
    ///
    /// - Parameter deadline: how long to wait for others; `.now` to try only once.
    /// - Throws: `SystemError` of `open` or `flock`; `ETIMEDOUT` when others held the lock until the deadline.
    package convenience init(_ path: String, _ kind: Kind, deadline: Deadline) throws(SystemError) {
        try self.init(path)
        try take(kind, by: deadline)
    }

    /// Opens the file at the path without taking the lock. The file is created (mode 0600, empty) if it is missing.
    ///
    /// - Throws: `SystemError` of `open` or `fstat`.
    package init(_ path: String) throws(SystemError) {
        file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        self.path = path
        opened = try FileStatus(ofDescriptor: file.number)
    }

    /// A number that has become another file's is not closed.
    deinit { if !hasItsDescriptor { _ = unsafe Unmanaged.passRetained(file) } }

    /// Whether the descriptor still refers to the opened file: a program may close or reuse descriptors that it has not
    /// opened.
    package var hasItsDescriptor: Bool { isOpened(try? FileStatus(ofDescriptor: file.number)) }

    /// Whether the file still has its name. Otherwise others would create another file and lock that one.
    package var hasItsFile: Bool { isOpened(try? FileStatus(at: path)) }

    private func isOpened(_ found: FileStatus?) -> Bool { found?.isSameFile(as: opened) ?? false }

    /// Takes the lock, which is held until ``release()``.
    ///
    /// - Throws: `SystemError` of `flock`; `ETIMEDOUT` when others held the lock until the deadline.
    package func take(_ kind: Kind, by deadline: Deadline) throws(SystemError) {
        let operation = kind == .shared ? LOCK_SH : LOCK_EX
        if deadline == .never {
            _ = try retrying("flock") { flock(file.number, operation) }
        } else {
            try Self.poll(file, operation | LOCK_NB, until: deadline)
        }
    }

    /// Marks the lock as held for a long operation, until ``unmark()`` or the end of the process. Waiting processes can
    /// see the mark.
    ///
    /// The mark is a lock of another kind on the same file (fcntl(2), open file description locks).
    ///
    /// - Throws: `SystemError` of `fcntl`.
    package func mark() throws(SystemError) {
        guard clinux_mark(file.number, 1) == 0 else { throw SystemError(code: errno, call: "fcntl") }
    }

    /// Removes the mark.
    package func unmark() { clinux_mark(file.number, 0) }

    /// Whether another process has marked the lock.
    package var isMarked: Bool { clinux_is_marked(file.number) == 1 }

    /// Releases the lock; `deinit` does the same.
    package func release() { flock(file.number, LOCK_UN) }

    // flock has no deadline, so it is tried repeatedly, with pauses of 1 to 16 ms.
    static func poll(_ file: FileDescriptor, _ operation: CInt, until deadline: Deadline) throws(SystemError) {
        var pause: UInt32 = 1000
        while try unlessBlocked("flock", { flock(file.number, operation) }) == nil {
            if deadline.hasPassed {
                throw SystemError(code: ETIMEDOUT, call: "flock", advice: "another process holds the lock")
            }
            usleep(pause)
            pause = min(pause * 2, 16000)
        }
    }
}
