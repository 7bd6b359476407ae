import Glibc

/// What a process executes, from one execve(2) to the next.
///
/// The kernel's list of its mappings is held open. It belongs to the memory that the process had when it was opened:
/// once the process has ended or executed another program, or the same one again, it is empty (proc_pid_maps(5)).
package final class ProcessImage: Sendable {
    package let maps: FileDescriptor

    /// Opens what the process with a number executes now.
    ///
    /// - Throws: `SystemError` of `open`: `EACCES` when this process may not look.
    package init(of process: Int32) throws(SystemError) {
        maps = try FileDescriptor.open("/proc/\(process)/maps", O_RDONLY)
    }

    /// Takes over what a process that may look has opened.
    package init(maps: FileDescriptor) { self.maps = maps }

    /// Whether the process still executes it.
    package var isExecuted: Bool {
        var byte: UInt8 = 0
        return unsafe pread(maps.number, &byte, 1, 0) == 1
    }
}
