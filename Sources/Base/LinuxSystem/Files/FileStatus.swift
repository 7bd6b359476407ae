import CLinux
import Glibc

/// The metadata of a file.
///
/// The kernel reads a path where it is (`withCString`). As an argument it would be copied for each look, in one
/// allocation or in two, by its length; a write looks at its files again and again.
package struct FileStatus: Hashable, Sendable {
    /// The device of the file. With ``inode`` it identifies the file while that is open.
    package let device: UInt64
    package let inode: UInt64
    /// The size in bytes.
    package let size: Int
    /// The modification time of the content, in nanoseconds since 1970.
    package let modified: Int64
    package let owner: UInt32
    package let group: UInt32
    /// File type and permissions, as in `st_mode`.
    package let mode: UInt32
    /// The number of names of the file; 0 when it has been deleted or replaced.
    package let links: UInt64

    /// Reads the status of an open file.
    ///
    /// - Throws: `SystemError` of `fstat`.
    package init(of file: FileDescriptor) throws(SystemError) {
        var status = stat()
        _ = try retrying("fstat") { unsafe fstat(file.number, &status) }
        self.init(status)
    }

    /// Reads the status of a descriptor that has another owner.
    ///
    /// - Throws: `SystemError` of `fstat`; `EBADF` when it is not open.
    package init(ofDescriptor number: Int32) throws(SystemError) {
        var status = stat()
        _ = try retrying("fstat") { unsafe fstat(number, &status) }
        self.init(status)
    }

    /// Reads the status of the file at a path, following symbolic links: `nil` when there is none.
    ///
    /// - Throws: `SystemError` of `stat`, when it cannot be known.
    package init?(at path: String) throws(SystemError) {
        var status = stat()
        do throws(SystemError) {
            _ = try retrying("stat") { unsafe path.withCString { unsafe stat($0, &status) } }
        } catch  where error.code == ENOENT { return nil }
        self.init(status)
    }

    /// Reads the status of a name itself, even when it is a symbolic link: `nil` when there is none.
    ///
    /// - Throws: `SystemError` of `lstat`, when it cannot be known.
    package init?(ofLink path: String) throws(SystemError) {
        var status = stat()
        do throws(SystemError) {
            _ = try retrying("lstat") { unsafe path.withCString { unsafe lstat($0, &status) } }
        } catch  where error.code == ENOENT { return nil }
        self.init(status)
    }

    /// The change time of the file at a path, in nanoseconds since 1970; no program can set it. It is not compared,
    /// because even a rename changes it.
    ///
    /// - Throws: `SystemError` of `stat`.
    package static func changeTime(at path: String) throws(SystemError) -> Int64 {
        var status = stat()
        _ = try retrying("stat") { unsafe path.withCString { unsafe stat($0, &status) } }
        return Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    /// The change time of an open file, as ``changeTime(at:)``.
    ///
    /// - Throws: `SystemError` of `fstat`.
    package static func changeTime(of file: FileDescriptor) throws(SystemError) -> Int64 {
        var status = stat()
        _ = try retrying("fstat") { unsafe fstat(file.number, &status) }
        return Int64(status.st_ctim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_ctim.tv_nsec)
    }

    init(_ version: clinux_file_version) {
        (device, inode, links) = (version.device, version.inode, version.links)
        (size, modified) = (Int(version.size), version.modified)
        (owner, group, mode) = (version.owner, version.group, version.mode)
    }

    /// The count of ``numbers``.
    static let numberCount = 8

    /// All fields, for transfer to another process.
    var numbers: [UInt64] {
        [
            device, inode, UInt64(bitPattern: Int64(size)), UInt64(bitPattern: modified), UInt64(owner), UInt64(group),
            UInt64(mode), links,
        ]
    }

    /// Reads the fields; nil for impossible numbers.
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
    /// Whether users other than the owner may change it.
    package var isWritableByOthers: Bool { mode & (S_IWGRP | S_IWOTH) != 0 }
    /// Whether a process that executes it gets its group (and somebody may execute it).
    package var setsGroup: Bool { mode & S_ISGID != 0 && mode & S_IXGRP != 0 }
    /// Whether only the owners of the folder and of an entry may rename or remove that entry.
    package var isSticky: Bool { mode & S_ISVTX != 0 }
    package var isRegularFile: Bool { mode & S_IFMT == S_IFREG }
    package var isSymbolicLink: Bool { mode & S_IFMT == S_IFLNK }
    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }
    package var isSocket: Bool { mode & S_IFMT == S_IFSOCK }
    package var isCharacterDevice: Bool { mode & S_IFMT == S_IFCHR }

    /// Whether both are the same file, regardless of names and content.
    package func isSameFile(as other: FileStatus) -> Bool { device == other.device && inode == other.inode }
}
