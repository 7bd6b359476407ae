import CLinux
import Glibc

/// What tells a process from every later one with its number.
///
/// A kernel before Linux 6.5 says of a connection only the number of the process that made it. There this is noted as
/// soon as the connection is taken: whoever could have the number by then must have got it between the two.
package struct ProcessWitness: Sendable {
    /// A descriptor for the process (pidfd), where the kernel has them (Linux 5.3). It becomes readable when the
    /// process ends.
    package let descriptor: FileDescriptor?
    /// When the process started, in clock ticks since the boot; 0 where the descriptor says enough.
    package let startTime: UInt64

    /// Of a process that had ended when the connection was taken: nobody.
    var isUnknown: Bool { descriptor == nil && startTime == 0 }

    package init(descriptor: FileDescriptor?, startTime: UInt64 = 0) {
        (self.descriptor, self.startTime) = (descriptor, startTime)
    }

    /// Notes the process that has a number now.
    package init(of process: Int32) {
        let number = clinux_pidfd_open(process)
        let started = try? ProcessDirectory.startTime(of: process)
        self.init(descriptor: number < 0 ? nil : FileDescriptor(owning: number), startTime: started ?? 0)
    }

    /// Whether the process still lives, under its number.
    func isAlive(_ process: Int32) -> Bool {
        guard let descriptor else { return (try? ProcessDirectory.startTime(of: process)) == startTime }
        // Asked at every request, and by this one call alone: whoever has ended is ready to be read.
        var look = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
        return unsafe poll(&look, 1, 0) == 0
    }
}
