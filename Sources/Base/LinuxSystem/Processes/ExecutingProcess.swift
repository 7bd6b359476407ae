import CLinux

/// A process that was seen to execute a version of a file. The kernel's folder of it is held open, and what is found
/// through that is the process's own: once it has ended nothing is found any more, whoever gets its number then
/// (proc(5)).
///
/// The folder is the one of its first thread, `/proc/PID/task/PID`; that number passes to whichever thread executes
/// another program. The way from there to the program is shorter than from `/proc/PID`, where the kernel asks each time
/// who may pass.
package final class ExecutingProcess: Sendable {
    package let version: FileVersion
    private let folder: FileDescriptor

    /// Opens the folder of the process that has a number now.
    ///
    /// - Throws: `SystemError` of `open`: `ENOENT` when there is none.
    package init(_ process: Int32, _ version: FileVersion) throws(SystemError) {
        let path = "/proc/\(process)/task/\(process)"
        folder = FileDescriptor(owning: try retrying("open") { unsafe clinux_open_folder(path) })
        self.version = version
    }

    /// Whether it lives and executes that version of the file, by whatever name.
    package var isUnchanged: Bool {
        do throws(SystemError) { return try version.isExecuted(in: folder) } catch { return false }
    }
}
