import Glibc
import LinuxSystem

/// The folders whose files lie in memory.
package enum MemoryFolders {
    private static var candidates: [String] {
        let runtime = unsafe getenv("XDG_RUNTIME_DIR").map { unsafe String(cString: $0) }
        return [runtime, "/run/user/\(CurrentProcess.user)", "/dev/shm", "/tmp"].compactMap { $0 }
    }

    /// The first in which this user may make a folder; nil when there is none.
    package static func find() -> String? {
        // A line end in the path would make two variables of one in the lines that `ci-start` writes.
        candidates.first { SearchList.isPath($0) && isInMemory($0) && isWritable($0) }
    }

    /// Whether it is a folder in memory that this user alone may enter.
    static func isOwn(_ path: String) -> Bool {
        guard let status = try? FileStatus(ofLink: path) else { return false }
        return status.isDirectory && status.owner == CurrentProcess.user && status.mode & 0o077 == 0 && isInMemory(path)
    }

    private static func isWritable(_ path: String) -> Bool { unsafe access(path, W_OK | X_OK) == 0 }

    private static func isInMemory(_ path: String) -> Bool {
        guard let folder = try? FileDescriptor.open(path, O_RDONLY | O_DIRECTORY) else { return false }
        return (try? FileSystem(of: folder).isInMemory) ?? false
    }
}
