import CLinux
import Glibc

/// The credentials of a unix socket's peer, as the kernel reports them: the process that called `connect` (or
/// `socketpair`), as it was at that moment.
///
/// A process can pass its connection to another or replace its program afterwards. `user` and `group` do not change. A
/// set-group-ID program is therefore recognised by `group` (it connected after it was executed), not by a later look at
/// its executable.
package struct PeerCredentials: Sendable {
    /// The numbers of the peer when it connected.
    package let numbers: PeerNumbers
    package var user: UInt32 { numbers.user }
    package var group: UInt32 { numbers.group }
    package var process: Int32 { numbers.process }
    /// Whether the kernel identifies the process itself, not only by its number (as before Linux 6.5).
    package let isKernelsWord: Bool
    let witness: ProcessWitness
    /// A descriptor for the process (pidfd), where the kernel has them. It becomes readable when the process ends.
    package var processDescriptor: FileDescriptor? { witness.descriptor }

    init(_ numbers: PeerNumbers, _ witness: ProcessWitness, isKernelsWord: Bool) {
        (self.numbers, self.witness, self.isKernelsWord) = (numbers, witness, isKernelsWord)
    }

    /// Whether the process has not ended. If so, everything just read from `/proc` under its number was its own.
    package var isAlive: Bool { witness.isAlive(process) }

    /// The real group of the process; its effective one may come from a set-group-ID program.
    ///
    /// - Throws: `SystemError`: `ESRCH` when it has ended.
    package func realGroup() throws(SystemError) -> UInt32 {
        var group: UInt32 = 0
        if let descriptor = witness.descriptor, unsafe clinux_pidfd_real_group(descriptor.number, &group) == 0 {
            return group
        }
        group = try ProcessView(process).realGroup()
        guard isAlive else { throw Self.ended("read") }
        return group
    }

    static func ended(_ call: String) -> SystemError {
        SystemError(code: ESRCH, call: call, advice: "the peer has ended")
    }
}

/// The numbers of a process when it connected, which the kernel keeps with the connection. The process may have ended
/// since, and another one may have its number.
package struct PeerNumbers: Equatable, Sendable {
    /// The effective user and group.
    package let user: UInt32
    package let group: UInt32
    /// The process; 0 when it is outside of this process namespace.
    package let process: Int32
}
