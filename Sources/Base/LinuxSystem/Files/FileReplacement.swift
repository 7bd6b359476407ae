import CLinux
import Glibc

/// A file that replaces another one when it is complete. Until then, and if it is dropped before, the other file stays
/// unchanged.
package final class FileReplacement {
    /// The new file, open for reading and writing, with access for its owner only.
    package let file: FileDescriptor
    private let path: String
    private let name: [CChar]
    private var isPending = true
    /// Whether the replacement was renamed, although the directory may not be synchronised yet.
    package var isInPlace: Bool { !isPending }

    /// Creates a file that will get the name `path`.
    ///
    /// - Throws: `SystemError` of `mkostemp`: the folder does not exist or is not writable.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        // It is in the same directory, because rename does not cross file systems.
        var name = Array("\(path)\(AtomicFile.replacementMark)XXXXXX".utf8CString)
        file = FileDescriptor(owning: try retrying("mkostemp") { unsafe clinux_make_temporary(&name) })
        self.name = name
    }

    deinit {
        if isPending { unsafe unlink(name) }
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
        _ = try retrying("rename") { unsafe rename(name, path) }
        isPending = false
        try AtomicFile.synchronizeDirectory(of: path)
    }
}

extension FileDescriptor {
    /// Whether the file has capabilities for programs executed from it (setcap); a replacement does not keep them.
    package var hasCapabilities: Bool { clinux_has_capabilities(number) == 1 }
}
