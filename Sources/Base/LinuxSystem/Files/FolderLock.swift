import Glibc

/// A lock that a process holds on a folder itself (flock): it says that the folder is in use. It ends with its owner,
/// or with its process.
package struct FolderLock: Sendable {
    private let folder: FileDescriptor

    /// Takes the lock, without waiting for others; nil when they hold it, or when the folder has lost its path.
    ///
    /// - Throws: `SystemError` of `open`, `flock` or `lstat`; `ELOOP` or `ENOTDIR` for a link.
    package init?(_ path: String, _ kind: FileLock.Kind) throws(SystemError) {
        let folder = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        guard try unlessBlocked("flock", { flock(folder.number, operation) }) != nil else { return nil }
        // Another program may have removed the folder before it was locked.
        let opened = try FileStatus(of: folder)
        guard try FileStatus(ofLink: path)?.isSameFile(as: opened) == true else { return nil }
        self.folder = folder
    }
}
