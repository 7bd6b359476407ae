import CLinux

/// The kernel's folder of one process (`/proc/PID`), held open. What is found through it is that process's own: once it has
/// ended nothing is found any more, whoever gets its number then (proc(5)).
package struct ProcessFolder: Sendable {
    private let folder: FileDescriptor

    /// Opens the folder of the process that has a number now.
    ///
    /// - Throws: `SystemError` of `open`: `ENOENT` when there is none.
    package init(of process: Int32) throws(SystemError) {
        folder = FileDescriptor(owning: try retrying("open") { unsafe clinux_open_folder("/proc/\(process)") })
    }

    /// Whether the process lives and executes this version of a file, by whatever name.
    package func executes(_ version: FileVersion) -> Bool {
        do throws(SystemError) { return try version.isExecuted(in: folder) } catch { return false }
    }
}
