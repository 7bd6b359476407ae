import CLinux
import Glibc

/// A file that will take another's place when it is complete. Until then, and when it is let go of before, the other
/// stays as it was.
package final class FileReplacement {
    /// The new file, open for reading and writing, for its owner alone.
    package let file: FileDescriptor
    private let path: String
    private let name: [CChar]
    private var isPending = true
    /// Whether it has taken the other's place, although the disk may not have said that it keeps that.
    package var isInPlace: Bool { !isPending }

    /// Begins a file that will have the name `path`.
    ///
    /// - Throws: `SystemError` of `mkostemp`: the folder is not there or may not be written to.
    package init(_ path: String) throws(SystemError) {
        self.path = path
        // In the same directory, because rename does not cross file systems.
        var name = Array("\(path)\(AtomicFile.replacementMark)XXXXXX".utf8CString)
        file = FileDescriptor(owning: try retrying("mkostemp") { unsafe clinux_make_temporary(&name) })
        self.name = name
    }

    deinit {
        if isPending { unsafe unlink(name) }
    }

    /// Gives the new file an owner and a group.
    ///
    /// - Throws: `SystemError` of `fchown`: `EPERM` for whoever may not give files away.
    package func setOwner(_ owner: UInt32, group: UInt32) throws(SystemError) {
        _ = try retrying("fchown") { fchown(file.number, owner, group) }
    }

    /// Puts the file in its place. When this returns, the new content survives a power cut.
    ///
    /// - Parameter mode: its permissions.
    /// - Throws: `SystemError` of whichever step failed.
    package func commit(mode: UInt32) throws(SystemError) {
        _ = try retrying("fchmod") { fchmod(file.number, mode) }
        _ = try retrying("fsync") { fsync(file.number) }
        _ = try retrying("rename") { unsafe rename(name, path) }
        isPending = false
        try AtomicFile.synchronizeDirectory(of: path)
    }
}

extension FileDescriptor {
    /// Whether the file gives capabilities to whoever runs it (setcap); a replacement does not.
    package var hasCapabilities: Bool { clinux_has_capabilities(number) == 1 }
}
