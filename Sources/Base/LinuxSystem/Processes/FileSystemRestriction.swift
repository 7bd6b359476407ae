import CLinux
import Glibc

/// Takes most of the file system from this process (Landlock).
///
/// A restricted process cannot trace an unrestricted one, whatever its capabilities (landlock(7)).
package enum FileSystemRestriction {
    /// A folder with everything below it, or a single file, and the allowed access. A symbolic link is followed if the
    /// path ends with a slash.
    package struct Place: Hashable, Sendable {
        package let path: String
        package let access: Access

        package init(_ path: String, _ access: Access) { (self.path, self.access) = (path, access) }
    }

    package enum Access: Sendable {
        /// Reading only.
        case reading
        /// Reading, and writing to existing files.
        case using
        /// The same, and creating and removing files.
        case replacing
        case everything

        fileprivate var number: clinux_access {
            switch self {
            case .reading: CLINUX_READING
            case .using: CLINUX_USING
            case .replacing: CLINUX_REPLACING
            case .everything: CLINUX_EVERYTHING
            }
        }
    }

    /// From now on the calling thread, and the threads it starts, can open only files in these places. This cannot be
    /// undone and needs ``ProcessHardening/forbidNewPrivileges()``. Missing places are skipped.
    ///
    /// - Returns: false when the kernel does not know Landlock (before 5.13) or was started without it; nothing changed
    ///   then.
    /// - Throws: `SystemError` of `open` or of the Landlock calls.
    @discardableResult
    package static func apply(only places: [Place]) throws(SystemError) -> Bool {
        let rules: FileDescriptor
        do { rules = FileDescriptor(owning: try retrying("landlock") { clinux_landlock_rules() }) } catch {
            if error.code == ENOSYS || error.code == EOPNOTSUPP { return false }
            throw error
        }
        for place in places {
            guard let found = try open(place) else { continue }
            _ = try retrying("landlock") { clinux_landlock_allow(rules.number, found.number, place.access.number) }
        }
        _ = try retrying("landlock") { clinux_landlock_apply(rules.number) }
        return true
    }

    /// The siblings of a folder and of all its parents: everything outside of the folder, except the path to it.
    ///
    /// - Parameter folder: a path without symbolic links.
    /// - Throws: `SystemError` of `opendir`.
    package static func places(beside folder: String) throws(SystemError) -> [Place] {
        var (places, parent) = ([Place](), "/")
        for name in folder.split(separator: "/").map(String.init) {
            // A link among them opens nothing: its target is in the list as well, or is excluded.
            places += try names(in: parent).filter { $0 != name }.map { Place(parent + $0, .everything) }
            parent += name + "/"
        }
        return places
    }

    /// A folder that can be entered but not listed counts as empty.
    private static func names(in folder: String) throws(SystemError) -> [String] {
        do throws(SystemError) { return try FolderEntries.names(in: folder) } catch {
            if error.code == EACCES || error.code == ENOENT { return [] }
            throw error
        }
    }

    private static func open(_ place: Place) throws(SystemError) -> FileDescriptor? {
        do throws(SystemError) {
            return FileDescriptor(owning: try retrying("open") { unsafe clinux_open_place(place.path) })
        } catch {
            if error.code == ENOENT || error.code == EACCES { return nil }
            throw error
        }
    }
}
