import CLinux
import Glibc

/// Distinguishes a process from later ones with the same number.
///
/// A kernel before Linux 6.5 reports only the number of the process that made a connection. There the process is
/// recorded as soon as the connection is accepted: another process could have the number only if it got it in between.
package struct ProcessWitness: Sendable {
    /// A descriptor for the process (pidfd), where the kernel has them (Linux 5.3). It becomes readable when the
    /// process ends.
    package let descriptor: FileDescriptor?
    /// The start time of the process, in clock ticks since the boot; 0 where the descriptor suffices.
    package let startTime: UInt64

    /// Whether the process had ended before the connection was accepted.
    var isUnknown: Bool { descriptor == nil && startTime == 0 }

    package init(descriptor: FileDescriptor?, startTime: UInt64 = 0) {
        (self.descriptor, self.startTime) = (descriptor, startTime)
    }

    /// Records the process that has this number now.
    package init(of process: Int32) {
        let number = clinux_pidfd_open(process)
        let started = try? ProcessDirectory.startTime(of: process)
        self.init(descriptor: number < 0 ? nil : FileDescriptor(owning: number), startTime: started ?? 0)
    }

    /// Whether the process still lives under its number.
    func isAlive(_ process: Int32) -> Bool {
        guard let descriptor else { return (try? ProcessDirectory.startTime(of: process)) == startTime }
        // Every request checks this with this one call: the descriptor of an ended process is readable.
        var look = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&look, 1, 0) == 0
    }
}
