import Glibc

/// The program image of a process, from one execve(2) to the next.
///
/// The kernel's list of its mappings is held open. It belongs to the memory that the process had when it was opened.
/// The list is empty once the process has ended or executed any program, even the same one again (proc_pid_maps(5)).
package final class ProcessImage: Sendable {
    package let maps: FileDescriptor

    /// Opens the image that the process with this number executes now.
    ///
    /// - Throws: `SystemError` of `open`: `EACCES` when this process lacks the permission.
    package init(of process: Int32) throws(SystemError) {
        maps = try FileDescriptor.open("/proc/\(process)/maps", O_RDONLY)
    }

    /// Takes ownership of a list that a process with the permission has opened.
    package init(maps: FileDescriptor) { self.maps = maps }

    /// Whether the process still executes this image.
    package var isExecuted: Bool {
        var byte: UInt8 = 0
        return unsafe pread(maps.number, &byte, 1, 0) == 1
    }
}
