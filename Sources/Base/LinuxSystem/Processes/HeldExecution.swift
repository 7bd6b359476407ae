import CLinux

/// The program that a process executes, held by descriptors that another process with more privileges has opened.
///
/// Checking them for changes needs no privilege, and they give no other access: the list of mappings is already read,
/// and the file is not open for reading.
package final class HeldExecution: ExecutionWatch {
    package let version: FileVersion
    private let peer: PeerCredentials
    private let image: ProcessImage
    private let file: FileDescriptor

    /// - Parameters:
    ///   - peer: the process, as this process's own kernel query identifies it.
    ///   - maps: the list of its mappings (``ProcessImage``).
    ///   - file: the executed file (``ProcessView/holdExecutable()``), in this version.
    package init(_ peer: PeerCredentials, maps: FileDescriptor, file: FileDescriptor, version: FileVersion) {
        (self.peer, self.file, self.version) = (peer, file, version)
        image = ProcessImage(maps: maps)
    }

    /// Whether the process lives, has executed nothing since, and its file is unchanged. Another process may share its
    /// memory and live longer, so the process itself is checked too.
    package var isUnchanged: Bool {
        guard image.isExecuted, peer.isAlive else { return false }
        do throws(SystemError) { return try version.isVersion(of: file) } catch { return false }
    }
}

/// A process that executed a version of a file when it was checked.
package protocol ExecutionWatch: Sendable {
    var version: FileVersion { get }
    /// Whether it lives and executes that version, by any name.
    var isUnchanged: Bool { get }
}

extension ExecutingProcess: ExecutionWatch {}

extension ProcessView {
    /// The executed file, opened for its metadata and not for reading.
    ///
    /// - Throws: `SystemError` of `open`, as ``executable()``.
    package func holdExecutable() throws(SystemError) -> FileDescriptor {
        let path = "/proc/\(identifier)/exe"
        return FileDescriptor(owning: try retrying("open") { unsafe clinux_hold_file(path) })
    }
}
