import CLinux
import Glibc

/// A file and its content at one moment: two equal versions have the same content, as long as nobody can set the
/// kernel's clock and the file system keeps its word.
package struct FileVersion: Hashable, Sendable {
    package let status: FileStatus
    /// When anything about the file last changed, in nanoseconds since 1970; nobody can set this.
    package let changed: Int64
    /// The kernel's own digest of the content (fs-verity), where the file has one: nobody can change such a file.
    package let verityDigest: [UInt8]

    /// Looks at an open file.
    ///
    /// - Throws: `SystemError` of `statx` or `ioctl`.
    package init(of file: FileDescriptor) throws(SystemError) {
        let version = try Self.look(file.number, nil)
        self.init(version, version.has_verity == 0 ? [] : try Self.measure(file))
    }

    /// Looks at what a path leads to, through links.
    ///
    /// - Throws: `SystemError` of `statx`; of `open` and `ioctl` for a file with a digest of the kernel's.
    package init(at path: String) throws(SystemError) {
        try self.init(try Self.look(-1, path), at: path)
    }

    /// Looks at what a process executes.
    ///
    /// - Parameter asKnown: whether what the kernel knows of it counts: who serves its file system, and may not answer,
    ///   is not asked.
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

    /// What another process has seen of a file.
    ///
    /// - Parameter numbers: as ``numbers`` gives them; nil comes of others.
    package init?(numbers: [UInt64], verityDigest: [UInt8]) {
        guard numbers.count == Self.numberCount, let status = FileStatus(numbers: numbers) else { return nil }
        (self.status, self.verityDigest) = (status, verityDigest)
        changed = Int64(bitPattern: numbers[Self.numberCount - 1])
    }

    /// How many ``numbers`` there are.
    package static let numberCount = FileStatus.numberCount + 1

    /// All of it but the kernel's digest, to be told to another process.
    package var numbers: [UInt64] { status.numbers + [UInt64(bitPattern: changed)] }

    package func hash(into hasher: inout Hasher) {
        // Two files that have both of these in common are rare, and are told apart by the rest.
        hasher.combine(status.inode)
        hasher.combine(changed)
    }

    /// Whether the file has rested for so long that a change after this moment would show in ``changed``: clocks of
    /// file systems are coarse, up to two seconds.
    package var isSettled: Bool {
        let now = Clock.realtimeNanoseconds
        return changed <= now && now - changed > Self.coarsest || !verityDigest.isEmpty
    }

    /// Whether the process with this folder in `/proc` executes this very version, as far as the kernel knows: it may
    /// execute by now what lies on a file system that does not answer. The kernel's digest is not read again: nobody
    /// can change the content of a file that has one.
    ///
    /// - Throws: `SystemError` of `statx`.
    func isExecuted(in folder: FileDescriptor) throws(SystemError) -> Bool {
        var found = clinux_file_version()
        _ = try retrying("statx") { unsafe clinux_executed_version(folder.number, &found) }
        return isSeen(in: found)
    }

    /// Whether an open file is this very version, as far as the kernel knows. It may be open for nothing but to be
    /// looked at (O_PATH).
    ///
    /// - Throws: `SystemError` of `statx`.
    package func isVersion(of file: FileDescriptor) throws(SystemError) -> Bool {
        var found = clinux_file_version()
        _ = try retrying("statx") { unsafe clinux_find_version(file.number, nil, 1, &found) }
        return isSeen(in: found)
    }

    private func isSeen(in found: clinux_file_version) -> Bool {
        FileStatus(found) == status && found.changed == changed && (found.has_verity == 0) == verityDigest.isEmpty
    }

    private static let coarsest: Int64 = 2_000_000_000

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
