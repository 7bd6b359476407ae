import CLinux
import Glibc

/// A lock that processes hold on a file (flock): gone when its holder lets go or dies.
package final class FileLock: Sendable {
    /// Whether others may hold the lock at the same time.
    package enum Kind: Sendable {
        case shared
        case exclusive
    }

    private let file: FileDescriptor
    private let path: String
    private let opened: FileStatus

    /// Takes the lock on the file at the path, which is made (mode 0600, empty) when there is none and never removed.
    ///
    /// - Parameter deadline: how long to wait for others; `.now` to try only once.
    /// - Throws: `SystemError` of `open` or `flock`; `ETIMEDOUT` when others held the lock until the deadline.
    package convenience init(_ path: String, _ kind: Kind, deadline: Deadline) throws(SystemError) {
        try self.init(path)
        try take(kind, by: deadline)
    }

    /// Opens the file at the path, which is made (mode 0600, empty) when there is none, without taking the lock.
    ///
    /// - Throws: `SystemError` of `open` or `fstat`.
    package init(_ path: String) throws(SystemError) {
        file = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o600)
        self.path = path
        opened = try FileStatus(ofDescriptor: file.number)
    }

    /// Whether its descriptor is still that of its file: a program may close or reuse what it has not opened.
    package var hasItsDescriptor: Bool { isOpened(try? FileStatus(ofDescriptor: file.number)) }

    /// Whether the file has its name: others would make another one, and take its lock beside this.
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

    /// Says to all who wait for the lock that it is held for something that may take long; until ``unmark()``, or until
    /// the holder dies.
    ///
    /// It is a lock of another kind on the same file (fcntl(2), open file description locks).
    ///
    /// - Throws: `SystemError` of `fcntl`.
    package func mark() throws(SystemError) {
        guard clinux_mark(file.number, 1) == 0 else { throw SystemError(code: errno, call: "fcntl") }
    }

    /// Takes that back.
    package func unmark() { clinux_mark(file.number, 0) }

    /// Whether somebody else has said so.
    package var isMarked: Bool { clinux_is_marked(file.number) == 1 }

    /// Gives the lock back; the same happens when the object goes.
    package func release() { flock(file.number, LOCK_UN) }

    // There is no flock with a deadline, so it is tried again after pauses of 1 to 16 ms.
    private static func poll(_ file: FileDescriptor, _ operation: CInt, until deadline: Deadline) throws(SystemError) {
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
