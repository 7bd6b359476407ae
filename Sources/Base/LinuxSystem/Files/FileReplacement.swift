import CLinux
import Glibc

/// A file that replaces another one when it is complete. Until then, and if it is dropped before, the other file stays
/// unchanged. A device, a pipe or a socket is not replaced.
package final class FileReplacement {
    /// The new file, open for reading and writing, with access for its owner only.
    package let file: FileDescriptor
    private let path: String
    /// Keeps the folder open, where `path` names it by its descriptor.
    private let place: FilePlace?
    /// The name until the end; nil while it has none.
    private var name: [CChar]?
    private var isPending = true
    /// Whether the replacement was renamed, although the directory may not be synchronised yet.
    package var isInPlace: Bool { !isPending }

    /// Creates a file that will get the name `path`.
    ///
    /// - Throws: `SystemError` of `mkostemp`: the folder does not exist or is not writable; `EEXIST` for a name of
    ///   something else than a file.
    package init(_ path: String) throws(SystemError) {
        try Self.checkFile(at: path)
        (self.path, place) = (path, nil)
        (file, name) = try Self.makeNamed(path)
    }

    /// Creates a file for a place. It has no name before it is complete, where the file system permits: a process that
    /// is killed leaves nothing of its content.
    ///
    /// - Throws: as ``init(_:)``.
    package init(in place: FilePlace) throws(SystemError) {
        try Self.checkFile(at: place.held)
        (path, self.place) = (place.held, place)
        let number = unsafe clinux_make_unnamed(PrivateDirectory.parent(of: place.held) ?? ".")
        (file, name) = number < 0 ? try Self.makeNamed(place.held) : (FileDescriptor(owning: number), nil)
    }

    deinit {
        if isPending, let name { unsafe unlink(name) }
    }

    /// Root may replace `/dev/null`, and a user a pipe that another program reads. A folder refuses by itself.
    private static func checkFile(at path: String) throws(SystemError) {
        guard let status = try? FileStatus(at: path), !status.isRegularFile, !status.isDirectory else { return }
        throw SystemError(code: EEXIST, call: "open", advice: "it is not a file that could be replaced")
    }

    /// It is in the same directory, because rename does not cross file systems.
    private static func makeNamed(_ path: String) throws(SystemError) -> (FileDescriptor, [CChar]?) {
        var name = Array("\(path)\(AtomicFile.replacementMark)XXXXXX".utf8CString)
        let file = FileDescriptor(owning: try retrying("mkostemp") { unsafe clinux_make_temporary(&name) })
        return (file, name)
    }

    /// Sets the owner and the group of the new file.
    ///
    /// - Throws: `SystemError` of `fchown`: `EPERM` for a process that may not change owners.
    package func setOwner(_ owner: UInt32, group: UInt32) throws(SystemError) {
        _ = try retrying("fchown") { fchown(file.number, owner, group) }
    }

    /// Renames the file to its final name. When this returns, the new content survives a power cut.
    ///
    /// - Parameter mode: its permissions.
    /// - Throws: `SystemError` of the step that failed.
    package func commit(mode: UInt32) throws(SystemError) {
        _ = try retrying("fchmod") { fchmod(file.number, mode) }
        _ = try retrying("fsync") { fsync(file.number) }
        let name = try ownName()
        _ = try retrying("rename") { unsafe rename(name, path) }
        isPending = false
        try AtomicFile.synchronizeDirectory(of: path)
    }

    private func ownName() throws(SystemError) -> [CChar] {
        if let name { return name }
        while true {
            let digits = Randomness.bytes(3).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
            let made = Array("\(path)\(AtomicFile.replacementMark)\(digits)".utf8CString)
            do throws(SystemError) {
                _ = try retrying("linkat") { unsafe clinux_give_name(file.number, made) }
                name = made
                return made
            } catch { guard error.code == EEXIST else { throw error } }
        }
    }
}

extension FileDescriptor {
    /// Whether the file has capabilities for programs executed from it (setcap); a replacement does not keep them.
    package var hasCapabilities: Bool { clinux_has_capabilities(number) == 1 }
}
