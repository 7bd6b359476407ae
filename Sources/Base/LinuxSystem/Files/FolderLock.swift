import Glibc

/// A lock that a process holds on a folder itself (flock): it says that the folder is in use. It ends with its owner,
/// or with its process.
package struct FolderLock: Sendable {
    private let path: String
    private let folder: FileDescriptor
    private let opened: FileStatus

    /// Takes the lock; nil when others hold it until the deadline, or when the folder has lost its path.
    ///
    /// - Throws: `SystemError` of `open`, `flock` or `fstat`; `ELOOP` or `ENOTDIR` for a link.
    package init?(_ path: String, _ kind: FileLock.Kind, deadline: Deadline = .now) throws(SystemError) {
        let folder = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        let operation = (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB
        do throws(SystemError) { try FileLock.poll(folder, operation, until: deadline) } catch {
            guard error.code == ETIMEDOUT else { throw error }
            return nil
        }
        (self.path, self.folder, opened) = (path, folder, try FileStatus(of: folder))
        // Another program may have removed the folder before it was locked.
        if !isOfItsPath { return nil }
    }

    /// Whether the path still leads to the folder.
    package var isOfItsPath: Bool { (try? FileStatus(ofLink: path))?.isSameFile(as: opened) ?? false }
}
