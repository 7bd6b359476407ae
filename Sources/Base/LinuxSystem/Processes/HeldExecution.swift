import CLinux

/// What a process executes, held by descriptors that another process has opened: one that may look where this one may
/// not.
///
/// It takes no privilege to see from them whether anything has changed, and they lead nowhere else: the list of
/// mappings is read and the file is not open for reading.
package final class HeldExecution: ExecutionWatch {
    package let version: FileVersion
    private let peer: PeerCredentials
    private let image: ProcessImage
    private let file: FileDescriptor

    /// - Parameters:
    ///   - peer: the process, by the kernel's word of this process's own.
    ///   - maps: the list of its mappings (``ProcessImage``).
    ///   - file: what it executes (``ProcessView/holdExecutable()``), in this version.
    package init(_ peer: PeerCredentials, maps: FileDescriptor, file: FileDescriptor, version: FileVersion) {
        (self.peer, self.file, self.version) = (peer, file, version)
        image = ProcessImage(maps: maps)
    }

    /// Whether the process lives, has executed nothing since, and its file is what it was. Memory may be shared with a
    /// process that lives longer, so that the process itself is asked for too.
    package var isUnchanged: Bool {
        guard image.isExecuted, peer.isAlive else { return false }
        do throws(SystemError) { return try version.isVersion(of: file) } catch { return false }
    }
}

/// A process that was seen to execute a version of a file.
package protocol ExecutionWatch: Sendable {
    var version: FileVersion { get }
    /// Whether it lives and executes that version, by whatever name.
    var isUnchanged: Bool { get }
}

extension ExecutingProcess: ExecutionWatch {}

extension ProcessView {
    /// The file it runs, held to be looked at and not to be read.
    ///
    /// - Throws: `SystemError` of `open`, as ``executable()``.
    package func holdExecutable() throws(SystemError) -> FileDescriptor {
        let path = "/proc/\(identifier)/exe"
        return FileDescriptor(owning: try retrying("open") { unsafe clinux_hold_file(path) })
    }
}
