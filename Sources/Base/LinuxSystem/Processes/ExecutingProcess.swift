import CLinux

/// A process that executed a version of a file when it was checked. The process's folder in `/proc` is held open, and
/// lookups through it concern only this process. After its end they find nothing, even if another process gets its
/// number (proc(5)).
///
/// The folder is the one of its first thread, `/proc/PID/task/PID`; that number passes to the thread that executes
/// another program. The path from there to the program is shorter than from `/proc/PID`, where the kernel checks
/// permissions each time.
package final class ExecutingProcess: Sendable {
    package let version: FileVersion
    private let folder: FileDescriptor

    /// Opens the folder of the process that has this number now.
    ///
    /// - Throws: `SystemError` of `open`: `ENOENT` when there is none.
    package init(_ process: Int32, _ version: FileVersion) throws(SystemError) {
        let path = "/proc/\(process)/task/\(process)"
        folder = FileDescriptor(owning: try retrying("open") { unsafe clinux_open_folder(path) })
        self.version = version
    }

    /// Whether the process lives and executes that version of the file, by any name.
    package var isUnchanged: Bool {
        do throws(SystemError) { return try version.isExecuted(in: folder) } catch { return false }
    }
}
