import CLinux
import Glibc

/// A file that one process has locked and written a text into (fcntl(2), record locks): it says that the process is
/// there, which one it is, and what others have to know. The lock ends with its owner, or with its process; a copy of
/// the file is not locked.
///
/// A process that closes another descriptor of the file loses the lock: the owner's must not open it again.
package final class ProcessLock: Sendable {
    private let file: FileDescriptor
    private let path: String
    /// The file that is locked.
    package let status: FileStatus

    /// Another process that has the lock.
    package struct Holder: Equatable, Sendable {
        /// Its number; 0 when it is outside of this process namespace.
        package let process: Int32
        /// The lines that it has written, or that the one before has.
        package let lines: [String]
    }

    /// The most bytes of a text.
    private static let longest = Int(PATH_MAX)

    /// Takes the lock on the file at the path, which is created (mode 0600) if it is missing; nil when another process
    /// has it.
    ///
    /// - Throws: `SystemError` of `open` or `fcntl`; `EINVAL` when it is no regular file, `ENOENT` when it was removed
    ///   or replaced meanwhile.
    package init?(_ path: String) throws(SystemError) {
        self.path = path
        file = try naming(path) { () throws(SystemError) in
            try .open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        }
        let opened = try FileStatus(of: file)
        status = opened
        guard opened.isRegularFile else { throw .notAFile(path) }
        do { _ = try retrying("fcntl") { clinux_lock(file.number) } } catch  where error.isHeld { return nil }
        guard try FileStatus(ofLink: path)?.isSameFile(as: opened) == true else {
            throw SystemError(code: ENOENT, call: "fcntl", advice: "\(path) was removed")
        }
    }

    /// Writes the lines that others read. They are written over those before, so that a full disk has room for them.
    ///
    /// - Throws: `SystemError` of `write`, `lseek` or `ftruncate`; `EINVAL` for a text with another number of lines, or
    ///   a long one.
    package func write(lines: [String]) throws(SystemError) {
        let bytes = Array(lines.map { "\($0)\n" }.joined().utf8)
        guard bytes.count <= Self.longest, bytes.count(where: { $0 == UInt8(ascii: "\n") }) == lines.count else {
            throw SystemError(code: EINVAL, call: "write", advice: "a path with a line end, or a long one")
        }
        try naming(path) { () throws(SystemError) in
            _ = try retrying("lseek") { lseek(file.number, 0, SEEK_SET) }
            try file.writeFully(bytes.span)
            _ = try retrying("ftruncate") { ftruncate(file.number, bytes.count) }
        }
    }

    /// The process that has the lock on a file; nil when none has, or when there is no such file.
    ///
    /// - Throws: `SystemError` of `open`, `fcntl` or `read`: it is not known then.
    package static func holder(of path: String) throws(SystemError) -> Holder? {
        try naming(path) { () throws(SystemError) in
            guard let file = try open(path) else { return nil }
            var process: Int32 = 0
            guard try retrying("fcntl", { unsafe clinux_lock_holder(file.number, &process) }) == 1 else { return nil }
            return Holder(process: process, lines: try lines(of: file))
        }
    }

    /// The lines in a file, whether a process has it or had it; none where there is no file.
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package static func lines(of path: String) throws(SystemError) -> [String] { try content(of: path)?.lines ?? [] }

    /// The text of a file, and which file it is. No program can set the time of its last change, which each owner's
    /// text makes another one.
    package struct Content: Equatable, Sendable {
        package let lines: [String]
        private let identity: [UInt64]
        private let changed: Int64

        fileprivate init(_ file: FileDescriptor, at path: String, _ lines: [String]) throws(SystemError) {
            let status = try FileStatus(of: file)
            guard status.isRegularFile else { throw .notAFile(path) }
            (self.lines, identity) = (lines, [status.device, status.inode])
            changed = try FileStatus.changeTime(of: file)
        }
    }

    /// The content of a file, whether a process has it or had it; nil where there is none.
    ///
    /// - Throws: `SystemError` of `open` or `read`; `EINVAL` when it is no regular file.
    package static func content(of path: String) throws(SystemError) -> Content? {
        try naming(path) { () throws(SystemError) in
            guard let file = try open(path) else { return nil }
            return try Content(file, at: path, try lines(of: file))
        }
    }

    /// Makes an empty file (mode 0600).
    ///
    /// - Throws: `SystemError` of `open`; `EEXIST` where there is one.
    package static func make(_ path: String) throws(SystemError) {
        _ = try FileDescriptor.open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
    }

    private static func open(_ path: String) throws(SystemError) -> FileDescriptor? {
        do { return try .open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) } catch  where error.code == ENOENT {
            return nil
        }
    }

    private static func lines(of file: FileDescriptor) throws(SystemError) -> [String] {
        guard try FileStatus(of: file).isRegularFile else { return [] }
        var bytes = [UInt8](repeating: 0, count: longest)
        var span = bytes.mutableSpan
        let count = try file.readFully(into: &span)
        // Bytes behind the last line end are no whole line.
        let lines = bytes[..<count].split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast()
        return lines.map { String(decoding: $0, as: UTF8.self) }
    }
}

/// Has an error say which file it is about.
private func naming<Result>(
    _ path: String, _ body: () throws(SystemError) -> Result
) throws(SystemError) -> Result {
    do throws(SystemError) { return try body() } catch {
        throw SystemError(code: error.code, call: error.call, advice: error.advice.isEmpty ? path : error.advice)
    }
}

extension SystemError {
    fileprivate static func notAFile(_ path: String) -> SystemError {
        SystemError(code: EINVAL, call: "open", advice: "\(path) is no file")
    }

    /// Whether another process has a record lock (fcntl(2): either of the two).
    fileprivate var isHeld: Bool { code == EACCES || code == EAGAIN }
}
