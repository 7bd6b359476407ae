import Glibc

/// The program that a process runs, as an opened file.
///
/// The name proves nothing: with a mount namespace, any file can have any name. So compare ``status``
/// with a known device and inode, never ``path`` alone. While ``file`` is open, its inode is not reused.
package struct ExecutableFile: Sendable {
    /// The name of the file in the process's view, to show, or to look up and verify.
    package let path: String
    /// The file, open for reading.
    package let file: FileDescriptor
    /// The status of the opened file.
    package let status: FileStatus

    /// Opens the program of a peer.
    ///
    /// - Throws: `SystemError`: `ESRCH` when the peer has ended, `EACCES` when this process lacks the permission (it
    ///   needs the same user and a peer that allows it, or CAP_SYS_PTRACE).
    package init(of peer: PeerCredentials) throws(SystemError) {
        try self.init(ofProcess: peer.process)
        guard peer.isAlive else { throw SystemError(code: ESRCH, call: "open", advice: "the peer has ended") }
    }

    /// Opens the program of a process. The caller guarantees that the number still belongs to it.
    ///
    /// - Throws: `SystemError` of `open`, `readlink` or `fstat`.
    package init(ofProcess process: Int32) throws(SystemError) {
        file = try FileDescriptor.open("/proc/\(process)/exe", O_RDONLY)
        status = try FileStatus(of: file)
        let name = try SymbolicLink.read("/proc/self/fd/\(file.number)")
        path = ProcessView.path(name, isDeleted: status.links == 0)
    }
}
