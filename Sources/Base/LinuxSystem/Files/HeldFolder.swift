import CLinux
import Glibc

/// A folder that is held open. Somebody who may write in it can put links into it: none is followed.
package struct HeldFolder: Sendable {
    private let descriptor: FileDescriptor
    /// Its path by the descriptor, which stays where the folder is.
    package var path: String { "/proc/self/fd/\(descriptor.number)" }

    /// Opens a folder, also one that a link leads to.
    ///
    /// - Throws: `SystemError` of `open`: `ENOENT` where there is none.
    package init(_ path: String) throws(SystemError) {
        descriptor = FileDescriptor(owning: try retrying("open") { unsafe clinux_open_folder(path) })
    }

    private init(_ descriptor: FileDescriptor) { self.descriptor = descriptor }

    /// A folder in this one; nil where there is none. `ELOOP` or `ENOTDIR` says that something else has the name.
    ///
    /// - Throws: `SystemError` of `open`.
    package func folder(_ name: String) throws(SystemError) -> HeldFolder? {
        do throws(SystemError) {
            return HeldFolder(try .open("\(path)/\(name)", O_RDONLY | O_DIRECTORY | O_NOFOLLOW))
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Makes a folder in this one, unless there is one. It survives a power cut.
    ///
    /// - Throws: `SystemError` of `mkdir`, `open` or `fsync`.
    package func makeFolder(_ name: String, mode: UInt32 = 0o700) throws(SystemError) -> HeldFolder {
        do throws(SystemError) {
            _ = try retrying("mkdir") { unsafe mkdir("\(path)/\(name)", mode) }
        } catch { guard error.code == EEXIST else { throw error } }
        // Also where it is there: somebody may have been killed between both.
        try synchronize()
        guard let folder = try folder(name) else { throw SystemError(code: ENOENT, call: "open") }
        return folder
    }

    /// The names in it, sorted.
    ///
    /// - Throws: `SystemError` of `opendir`; `EOVERFLOW` where there are more.
    package func names(atMost most: Int) throws(SystemError) -> [String] {
        try FolderEntries.names(in: path, atMost: most)
    }

    /// Reads a file in it; nil where there is none.
    ///
    /// - Throws: `SystemError` of `open` or `read`: `ELOOP` for a link; `EFBIG` when it has more bytes, `EINVAL` when
    ///   it is not a regular file, `EIO` when it became shorter meanwhile.
    package func content(of name: String, limit: Int) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            return try AtomicFile.read("\(path)/\(name)", limit: limit, followsLinks: false)
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Removes a file in it; nothing happens where there is none.
    ///
    /// - Throws: `SystemError` of `unlink` or `fsync`.
    package func remove(_ name: String) throws(SystemError) { try AtomicFile.remove("\(path)/\(name)") }

    /// Removes a file without a wait for the disk: a power cut may bring it back. Nothing happens when there is none.
    ///
    /// - Throws: `SystemError` of `unlink`.
    package func discard(_ name: String) throws(SystemError) {
        do throws(SystemError) { _ = try retrying("unlink") { unsafe unlink("\(path)/\(name)") } } catch {
            guard error.code == ENOENT else { throw error }
        }
    }

    /// Creates a file in it, which appears with its whole content. When this returns, it survives a power cut.
    ///
    /// - Returns: false when something has the name already, which stays as it is.
    /// - Throws: `SystemError` of the step that failed.
    package func create(_ name: String, with content: Span<UInt8>, mode: UInt32 = 0o600) throws(SystemError) -> Bool {
        var isNew = try FileStatus(ofLink: "\(path)/\(name)") == nil
        if isNew { isNew = try publish(content, as: name, mode: mode) }
        // Also where it is there: a repetition may follow a call that was cut short.
        try synchronize()
        return isNew
    }

    /// Removes files whose creation a kill has cut short, where the file system gives each file a name from its start.
    /// One that cannot be removed stays, and hinders nothing.
    ///
    /// - Parameter most: of more names than these none is looked at.
    /// - Throws: `SystemError` of `opendir`; `EOVERFLOW` where there are more names.
    package func removeLeftovers(atMost most: Int) throws(SystemError) {
        for name in try names(atMost: most) { try? NewFile.removeLeftover(name, in: path) }
    }

    /// Where the file needs a name before it has its own, those who watch the folder hear of that too.
    private func publish(_ content: Span<UInt8>, as name: String, mode: UInt32) throws(SystemError) -> Bool {
        let file = try NewFile(in: path)
        try file.descriptor.writeFully(content)
        return try file.publish(as: "\(path)/\(name)", mode: mode)
    }

    /// A folder that is held as a path has no `fsync` of its own.
    private func synchronize() throws(SystemError) {
        let folder = try FileDescriptor.open(path + "/.", O_RDONLY | O_DIRECTORY)
        _ = try retrying("fsync") { fsync(folder.number) }
    }
}
