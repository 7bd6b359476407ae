import CLinux
import Glibc

/// Takes most of the file system from this process (Landlock).
package enum FileSystemRestriction {
    /// From now on the calling thread, and the threads it starts, can open files beneath this folder only. Cannot be undone;
    /// needs ``ProcessHardening/forbidNewPrivileges()``.
    ///
    /// - Returns: false when the kernel does not know Landlock (before 5.13) or was started without it; nothing changed then.
    /// - Throws: `SystemError` of `open` or of the Landlock calls.
    @discardableResult
    package static func apply(only folder: String) throws(SystemError) -> Bool {
        let folder = try FileDescriptor.open(folder, O_RDONLY | O_DIRECTORY)
        do { _ = try retrying("landlock") { clinux_restrict_files(folder.number) } } catch {
            if error.code == ENOSYS || error.code == EOPNOTSUPP { return false }
            throw error
        }
        return true
    }
}
