import CLinux
import Glibc

/// What the system knows about a file besides its content.
package struct FileStatus: Hashable, Sendable {
    /// The device the file is on; with ``inode`` it identifies the file as long as that is open.
    package let device: UInt64
    package let inode: UInt64
    /// The size in bytes.
    package let size: Int
    /// When the content last changed, in nanoseconds since 1970.
    package let modified: Int64
    package let owner: UInt32
    package let group: UInt32
    /// Kind of file and permissions, as in `st_mode`.
    package let mode: UInt32
    /// How many names the file has; 0 when it has been deleted or replaced.
    package let links: UInt64

    /// Looks at an open file.
    ///
    /// - Throws: `SystemError` of `fstat`.
    package init(of file: FileDescriptor) throws(SystemError) {
        var status = stat()
        _ = try retrying("fstat") { unsafe fstat(file.number, &status) }
        self.init(status)
    }

    /// Looks at a descriptor that somebody else owns.
    ///
    /// - Throws: `SystemError` of `fstat`; `EBADF` when it is not open.
    package init(ofDescriptor number: Int32) throws(SystemError) {
        var status = stat()
        _ = try retrying("fstat") { unsafe fstat(number, &status) }
        self.init(status)
    }

    /// Looks at what a path leads to, through symbolic links: `nil` when there is nothing.
    ///
    /// - Throws: `SystemError` of `stat`, when it cannot be known.
    package init?(at path: String) throws(SystemError) {
        var status = stat()
        do { _ = try retrying("stat") { unsafe stat(path, &status) } } catch  where error.code == ENOENT { return nil }
        self.init(status)
    }

    /// Looks at the file with this name itself, even when it is a symbolic link: `nil` when there is none.
    ///
    /// - Throws: `SystemError` of `lstat`, when it cannot be known.
    package init?(ofLink path: String) throws(SystemError) {
        var status = stat()
        do { _ = try retrying("lstat") { unsafe lstat(path, &status) } } catch  where error.code == ENOENT {
            return nil
        }
        self.init(status)
    }

    /// When anything about the file with this name last changed, in nanoseconds since 1970; nobody can set this. It is
    /// no part of what makes two looks at a file equal, because a mere renaming changes it.
    ///
    /// - Throws: `SystemError` of `stat`.
    package static func changeTime(at path: String) throws(SystemError) -> Int64 {
        var status = stat()
        _ = try retrying("stat") { unsafe stat(path, &status) }
        return Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    init(_ version: clinux_file_version) {
        (device, inode, links) = (version.device, version.inode, version.links)
        (size, modified) = (Int(version.size), version.modified)
        (owner, group, mode) = (version.owner, version.group, version.mode)
    }

    /// How many ``numbers`` there are.
    static let numberCount = 8

    /// All of it, to be told to another process.
    var numbers: [UInt64] {
        [
            device, inode, UInt64(bitPattern: Int64(size)), UInt64(bitPattern: modified), UInt64(owner), UInt64(group),
            UInt64(mode), links,
        ]
    }

    /// Nil for numbers that no file has.
    init?(numbers: [UInt64]) {
        guard let size = Int(exactly: numbers[2]), let owner = UInt32(exactly: numbers[4]),
            let group = UInt32(exactly: numbers[5]), let mode = UInt32(exactly: numbers[6])
        else { return nil }
        (device, inode, self.size, modified) = (numbers[0], numbers[1], size, Int64(bitPattern: numbers[3]))
        (self.owner, self.group, self.mode, links) = (owner, group, mode, numbers[7])
    }

    private init(_ status: stat) {
        device = UInt64(status.st_dev)
        inode = UInt64(status.st_ino)
        size = Int(status.st_size)
        modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
        owner = status.st_uid
        group = status.st_gid
        mode = status.st_mode
        links = UInt64(status.st_nlink)
    }
}

extension FileStatus {
    /// Whether others than its owner may change it.
    package var isWritableByOthers: Bool { mode & (S_IWGRP | S_IWOTH) != 0 }
    /// Whether whoever executes it gets its group (and somebody may execute it).
    package var setsGroup: Bool { mode & S_ISGID != 0 && mode & S_IXGRP != 0 }
    /// Whether nobody but the owner may rename or remove what is in this folder and not his own.
    package var isSticky: Bool { mode & S_ISVTX != 0 }
    package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    package var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
    package var isCharacterDevice: Bool { mode & S_IFMT == S_IFCHR }

    /// Whether both are the same file, whatever its names and content.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
