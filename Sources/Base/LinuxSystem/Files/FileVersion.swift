import CLinux
import Glibc

/// A file and its content at one moment. Two equal versions have the same content, provided that nobody can set the
/// kernel's clock and that the file system reports correct times.
package struct FileVersion: Hashable, Sendable {
    package let status: FileStatus
    /// The change time of the file, in nanoseconds since 1970; no program can set it.
    package let changed: Int64
    /// The kernel's own digest of the content (fs-verity), if the file has one; such a file cannot be changed.
    package let verityDigest: [UInt8]

    /// Reads the version of an open file.
    ///
    /// - Throws: `SystemError` of `statx` or `ioctl`.
    package init(of file: FileDescriptor) throws(SystemError) {
        let version = try Self.look(file.number, nil)
        self.init(version, version.has_verity == 0 ? [] : try Self.measure(file))
    }

    /// Reads the version of the file at a path, following links.
    ///
    /// - Throws: `SystemError` of `statx`; for a file with a kernel's digest also of `open` and `ioctl`.
    package init(at path: String) throws(SystemError) {
        try self.init(try Self.look(-1, path), at: path)
    }

    /// Reads the version of the file that a process executes.
    ///
    /// - Parameter asKnown: whether the kernel's cached metadata suffice. The server of the file system, which may not
    ///   answer, is then not asked.
    /// - Throws: as ``init(at:)``.
    init(executedBy process: Int32, asKnown: Bool = false) throws(SystemError) {
        var version = clinux_file_version()
        _ = try retrying("statx") { unsafe clinux_process_version(process, asKnown ? 1 : 0, &version) }
        try self.init(version, at: "/proc/\(process)/exe")
    }

    private init(_ version: clinux_file_version, at path: @autoclosure () -> String) throws(SystemError) {
        if version.has_verity == 0 {
            self.init(version, [])
        } else {
            // The digest is read from an opened file, which may be another one by now.
            try self.init(of: try FileDescriptor.open(path(), O_RDONLY | O_NONBLOCK))
        }
    }

    private init(_ version: clinux_file_version, _ digest: [UInt8]) {
        (status, changed, verityDigest) = (FileStatus(version), version.changed, digest)
    }

    /// A version that another process has read.
    ///
    /// - Parameter numbers: as ``numbers`` returns them; nil for anything else.
    package init?(numbers: [UInt64], verityDigest: [UInt8]) {
        guard numbers.count == Self.numberCount, let status = FileStatus(numbers: numbers) else { return nil }
        (self.status, self.verityDigest) = (status, verityDigest)
        changed = Int64(bitPattern: numbers[Self.numberCount - 1])
    }

    /// The count of ``numbers``.
    package static let numberCount = FileStatus.numberCount + 1

    /// All fields except the kernel's digest, for transfer to another process.
    package var numbers: [UInt64] { status.numbers + [UInt64(bitPattern: changed)] }

    package func hash(into hasher: inout Hasher) {
        // Few files have both of these in common; equality then compares the rest.
        hasher.combine(status.inode)
        hasher.combine(changed)
    }

    /// Whether the file has been unchanged for so long that any later change would show in ``changed``. Clocks of file
    /// systems are coarse, up to two seconds.
    ///
    /// - Parameter tick: how coarse the clock of the file system may be, in nanoseconds.
    package func isSettled(tick: Int64 = coarsestTick) -> Bool {
        let now = Clock.realtimeNanoseconds
        return changed <= now && now - changed > tick || !verityDigest.isEmpty
    }

    /// The coarsest clock that a file system has, in nanoseconds.
    package static let coarsestTick: Int64 = 2_000_000_000

    /// Whether the process with this folder in `/proc` executes this version, by the kernel's cached metadata. By now
    /// the process may execute a file on a file system that does not answer. The kernel's digest is not read again,
    /// because the content of a file with a digest cannot change.
    ///
    /// - Throws: `SystemError` of `statx`.
    func isExecuted(in folder: FileDescriptor) throws(SystemError) -> Bool {
        var found = clinux_file_version()
        _ = try retrying("statx") { unsafe clinux_executed_version(folder.number, &found) }
        return isSeen(in: found)
    }

    /// Whether an open file is this version, by the kernel's cached metadata. The file may be open with O_PATH only.
    ///
    /// - Throws: `SystemError` of `statx`.
    package func isVersion(of file: FileDescriptor) throws(SystemError) -> Bool {
        var found = clinux_file_version()
        _ = try retrying("statx") { unsafe clinux_find_version(file.number, nil, 1, &found) }
        return isSeen(in: found)
    }

    /// The status of an open file by the kernel's cached metadata: no server of a file system is asked. The file may be
    /// open with O_PATH only.
    ///
    /// - Throws: `SystemError` of `statx`.
    static func knownStatus(of file: FileDescriptor) throws(SystemError) -> FileStatus {
        var found = clinux_file_version()
        _ = try retrying("statx") { unsafe clinux_find_version(file.number, nil, 1, &found) }
        return FileStatus(found)
    }

    private func isSeen(in found: clinux_file_version) -> Bool {
        FileStatus(found) == status && found.changed == changed && (found.has_verity == 0) == verityDigest.isEmpty
    }

    private static func look(_ file: CInt, _ path: String?) throws(SystemError) -> clinux_file_version {
        var version = clinux_file_version()
        _ = try retrying("statx") {
            guard let path else { return unsafe clinux_file_version(file, nil, &version) }
            return unsafe clinux_file_version(file, path, &version)
        }
        return version
    }

    private static func measure(_ file: FileDescriptor) throws(SystemError) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 64)
        let count = try retrying("ioctl") {
            unsafe digest.withUnsafeMutableBufferPointer {
                unsafe clinux_verity_digest(file.number, $0.baseAddress, $0.count)
            }
        }
        return Array(digest.prefix(Int(count)))
    }
}
