import Glibc

/// The program a process runs, as the opened file itself.
///
/// The name proves nothing: whoever makes a mount namespace can put any file under any name. So compare ``status``
/// (with ``isAtItsPath`` or a known device and inode), never ``path`` alone. As long as ``file`` is open its inode is
/// not reused.
package struct ExecutableFile: Sendable {
    /// The name the process sees it by. Text to show, or to look up and verify.
    package let path: String
    /// The file, open for reading.
    package let file: FileDescriptor
    /// What the opened file is.
    package let status: FileStatus

    /// Opens the program of a peer.
    ///
    /// - Throws: `SystemError`: `ESRCH` when the peer has ended, `EACCES` when this process may not look (it needs the
    ///   same user and a peer that allows it, or CAP_SYS_PTRACE).
    package init(of peer: PeerCredentials) throws(SystemError) {
        try self.init(ofProcess: peer.process)
        guard peer.isAlive else { throw SystemError(code: ESRCH, call: "open", advice: "the peer has ended") }
    }

    /// Opens the program of a process whose number is known to be its own.
    ///
    /// - Throws: `SystemError` of `open`, `readlink` or `fstat`.
    package init(ofProcess process: Int32) throws(SystemError) {
        file = try FileDescriptor.open("/proc/\(process)/exe", O_RDONLY)
        status = try FileStatus(of: file)
        let name = try SymbolicLink.read("/proc/self/fd/\(file.number)")
        path = ProcessView.path(name, isDeleted: status.links == 0)
    }

    /// Whether its path leads to this very file in our own view of the file system: false for a file that was mounted
    /// over the name elsewhere, and for one that has been replaced since it was started.
    package var isAtItsPath: Bool {
        guard let found = try? FileStatus(at: path) else { return false }
        return found.isSameFile(as: status)
    }
}
