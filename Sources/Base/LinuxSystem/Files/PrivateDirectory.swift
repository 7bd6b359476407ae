import Glibc

/// Directories that only this user may enter.
package enum PrivateDirectory {
    /// Creates the directory and its missing parents, all with mode 0700. An existing one must belong to this user and
    /// be closed to others, because they could have put files into it.
    ///
    /// - Throws: `SystemError` of `mkdir` or `open`; `EPERM` when the directory belongs to another user or is open to
    ///   others, `ENOTDIR` when it is something else (a symbolic link, for example).
    package static func ensure(_ path: String) throws(SystemError) {
        try make(path)
        try check(path)
    }

    /// Checks that a directory belongs to this user and is closed to others.
    ///
    /// - Throws: as ``ensure(_:)``; `ENOENT` where there is none.
    package static func check(_ path: String) throws(SystemError) {
        try checkOwnRights(path)
        let directory = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        let status = try FileStatus(of: directory)
        guard status.owner == geteuid() else {
            throw SystemError(
                code: EPERM, call: "open",
                advice: "\(path) belongs to user \(status.owner), not to \(geteuid()): choose another directory")
        }
        guard status.mode & 0o077 == 0 else {
            throw SystemError(
                code: EPERM, call: "open",
                advice: "others may enter \(path): check what is in it, then run `chmod 700 \(path)`")
        }
    }

    /// Refuses a directory of this user's that this user may not read, write or enter. Root may all of that.
    private static func checkOwnRights(_ path: String) throws(SystemError) {
        guard let status = try FileStatus(ofLink: path), status.isDirectory, status.owner == geteuid(), geteuid() != 0,
            status.mode & 0o700 != 0o700
        else { return }
        throw SystemError(
            code: EACCES, call: "open", advice: "its owner may not use all of \(path): run `chmod 700 \(path)`")
    }

    /// The path without its last component; `nil` when there is only one.
    package static func parent(of path: String) -> String? {
        // Bytes are compared, as the kernel does: a combining mark behind a slash makes it another character.
        var rest = path.utf8[...]
        while rest.count > 1, rest.last == UInt8(ascii: "/") { rest.removeLast() }
        guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        return slash == rest.startIndex ? "/" : String(rest[..<slash])
    }

    /// Removes the directory with all it contains. Links in it are removed and not followed, nor is the path if it is
    /// one itself.
    ///
    /// - Throws: `SystemError` of `opendir`, `unlink` or `rmdir`.
    package static func remove(_ path: String) throws(SystemError) {
        if let status = try FileStatus(ofLink: path), !status.isDirectory {
            _ = try retrying("unlink") { unsafe unlink(path) }
            return
        }
        for name in try FolderEntries.names(in: path) {
            let entry = "\(path)/\(name)"
            if try FileStatus(ofLink: entry)?.isDirectory == true {
                try remove(entry)
            } else {
                do { _ = try retrying("unlink") { unsafe unlink(entry) } } catch  where error.code == ENOENT {}
            }
        }
        _ = try retrying("rmdir") { unsafe rmdir(path) }
    }

    /// Creates the directory and its missing parents with mode 0700; an existing one stays as it is.
    ///
    /// - Throws: `SystemError` of `mkdir`: `ENOENT` below a symbolic link that leads nowhere.
    package static func make(_ path: String) throws(SystemError) {
        do throws(SystemError) { try makeLast(of: path) } catch {
            guard error.code == ENOENT, let parent = parent(of: path), parent != path else { throw error }
            try make(parent)
            try makeLast(of: path)
        }
    }

    private static func makeLast(of path: String) throws(SystemError) {
        do { _ = try retrying("mkdir") { unsafe mkdir(path, 0o700) } } catch  where error.code == EEXIST {}
    }
}
