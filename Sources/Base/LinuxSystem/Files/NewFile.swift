import CLinux
import Glibc

/// A file that gets its name when its content is complete, and only if the name is free then.
///
/// Its name is taken by `link`, of which the kernel makes one winner. A file system without hard links (FAT) has
/// `RENAME_NOREPLACE`; one that has neither is asked first whether the name is free, which two machines may do at once.
final class NewFile {
    let descriptor: FileDescriptor
    /// The name until then; nil while it has none.
    private var name: [CChar]?

    /// Creates the file in a folder. It has no name, where the file system permits: a process that is killed leaves
    /// nothing.
    ///
    /// - Throws: `SystemError` of `open` or `mkostemp`.
    init(in folder: String) throws(SystemError) {
        let unnamed = unsafe clinux_make_unnamed(folder)
        if unnamed >= 0 {
            descriptor = FileDescriptor(owning: unnamed)
        } else {
            var name = Array("\(folder)/\(Self.mark)XXXXXX".utf8CString)
            descriptor = FileDescriptor(owning: try retrying("mkostemp") { unsafe clinux_make_temporary(&name) })
            self.name = name
        }
    }

    /// The beginning of the name of a file that is not complete.
    static let mark = ".new-"

    deinit { if let name { unsafe unlink(name) } }

    /// Gives the file its name.
    ///
    /// - Returns: false when something has the name already.
    /// - Throws: `SystemError` of the step that failed.
    func publish(as path: String, mode: UInt32) throws(SystemError) -> Bool {
        // A file system without permissions (FAT) has those that it was mounted with.
        do { _ = try retrying("fchmod") { fchmod(descriptor.number, mode) } } catch {
            guard error.code == EPERM || error.code == EOPNOTSUPP else { throw error }
        }
        _ = try retrying("fsync") { fsync(descriptor.number) }
        do throws(SystemError) {
            if let name { try take(path, from: name) } else { try giveName(path) }
            return true
        } catch {
            if error.code == EEXIST { return false }
            throw error
        }
    }

    private func giveName(_ path: String) throws(SystemError) {
        _ = try retrying("linkat") { unsafe clinux_give_name(descriptor.number, path) }
    }

    private func take(_ path: String, from name: [CChar]) throws(SystemError) {
        do throws(SystemError) {
            _ = try retrying("link") { unsafe link(name, path) }
        } catch {
            guard [EPERM, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.code) else { throw error }
            try Self.rename(name, to: path)
            self.name = nil
        }
    }

    /// Renames without replacing.
    ///
    /// - Throws: `SystemError` of `renameat2`: `EEXIST` when the name is taken.
    static func rename(_ name: [CChar], to path: String) throws(SystemError) {
        do throws(SystemError) {
            _ = try retrying("renameat2") { unsafe clinux_rename_new(name, path) }
        } catch {
            guard error.code == EINVAL || error.code == ENOSYS else { throw error }
            guard try FileStatus(ofLink: path) == nil else { throw SystemError(code: EEXIST, call: "rename") }
            _ = try retrying("rename") { unsafe Glibc.rename(name, path) }
        }
    }
}
