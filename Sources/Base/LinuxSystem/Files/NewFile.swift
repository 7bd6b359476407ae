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

    /// The beginning of the name of a file that is not complete.
    static let mark = ".new-"

    /// Creates the file in a folder. It has no name, where the file system permits: a process that is killed leaves
    /// nothing.
    ///
    /// - Throws: `SystemError` of `open` or `mkostemp`.
    convenience init(in folder: String) throws(SystemError) {
        let unnamed = unsafe clinux_make_unnamed(folder)
        if unnamed < 0 {
            try self.init(namedIn: folder)
        } else {
            self.init(FileDescriptor(owning: unnamed), nil)
        }
    }

    /// Creates the file with a name. It is locked until it is complete: a process that is killed leaves the file, and
    /// no lock.
    ///
    /// - Throws: `SystemError` of `mkostemp`.
    convenience init(namedIn folder: String) throws(SystemError) {
        var name = Array("\(folder)/\(Self.mark)XXXXXX".utf8CString)
        let file = FileDescriptor(owning: try retrying("mkostemp") { unsafe clinux_make_temporary(&name) })
        // A file system without locks keeps such files: nobody can say there that one is left.
        flock(file.number, LOCK_EX | LOCK_NB)
        self.init(file, name)
    }

    private init(_ descriptor: FileDescriptor, _ name: [CChar]?) { (self.descriptor, self.name) = (descriptor, name) }

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

// MARK: - Leftovers of kills

extension NewFile {
    /// Removes a file that a process had not completed when it was killed. One that somebody still writes stays, and so
    /// does anything of another kind or name.
    ///
    /// - Parameters:
    ///   - entry: its name in the folder.
    ///   - folder: the path of the folder.
    /// - Throws: `SystemError` of `open`, `fstat`, `flock` or `unlink`.
    static func removeLeftover(_ entry: String, in folder: String) throws(SystemError) {
        guard entry.hasPrefix(mark), entry.utf8.count == mark.utf8.count + 6 else { return }
        let path = "\(folder)/\(entry)"
        // For writing, which NFS wants of those who lock. O_NONBLOCK, in case somebody has put a pipe there.
        let file = try FileDescriptor.open(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW)
        guard try FileStatus(of: file).isRegularFile else { return }
        let isLeft = try unlessBlocked("flock") { flock(file.number, LOCK_EX | LOCK_NB) } != nil
        if isLeft { try AtomicFile.remove(path) }
    }
}
