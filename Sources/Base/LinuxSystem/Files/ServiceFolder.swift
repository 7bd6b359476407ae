import Glibc

/// Creates a service's folders as root, before the process drops privileges.
package enum ServiceFolder {
    /// Creates a folder with this owner and mode. An existing one must be a folder and gets both.
    ///
    /// - Throws: `SystemError` of `mkdir`, `fchown` or `fchmod`; `ENOTDIR` when it is something else.
    package static func make(_ path: String, mode: UInt32, owner: UInt32) throws(SystemError) {
        do { _ = try retrying("mkdir") { unsafe mkdir(path, 0o700) } } catch  where error.code == EEXIST {}
        let folder = try FileDescriptor.open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
        _ = try retrying("fchown") { fchown(folder.number, owner, owner == 0 ? 0 : .max) }
        _ = try retrying("fchmod") { fchmod(folder.number, mode) }
    }

    /// Gives a socket to another user.
    ///
    /// - Throws: `SystemError` of `lchown`.
    package static func give(_ path: String, to owner: UInt32) throws(SystemError) {
        _ = try retrying("lchown") { unsafe lchown(path, owner, .max) }
    }
}
