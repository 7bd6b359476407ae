import CLinux

/// The file system of a file.
package struct FileSystem: Equatable, Sendable {
    /// Its type number, as in statfs(2).
    package let kind: UInt64
    /// Whether it ignores set-user-ID and set-group-ID bits.
    package let ignoresSetID: Bool

    package static let btrfs: UInt64 = 0x9123_683E
    package static let fuse: UInt64 = 0x6573_5546

    private static let inMemory: [UInt64] = [0x0102_1994, 0x8584_58F6]  // tmpfs, ramfs
    /// Whether files are kept in memory, or in swap space, and on no disk of their own.
    package var isInMemory: Bool { Self.inMemory.contains(kind) }

    /// - Throws: `SystemError` of `fstatfs`.
    package init(of file: FileDescriptor) throws(SystemError) {
        var (kind, nosuid): (UInt64, CInt) = (0, 0)
        _ = try retrying("fstatfs") { unsafe clinux_file_system(file.number, &kind, &nosuid) }
        (self.kind, ignoresSetID) = (kind, nosuid != 0)
    }
}
