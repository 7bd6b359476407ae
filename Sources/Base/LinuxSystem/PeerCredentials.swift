import CLinux
import Glibc

/// Who is at the other end of a unix socket, by the kernel's word: the process that called `connect` (or `socketpair`),
/// as it was at that moment.
///
/// A process can hand its connection to another or replace its program afterwards. `user` and `group` stay what they were:
/// a program that runs set-group-ID to a group of ours is known by `group` (it connected after it was executed), not by
/// looking up its executable later.
package struct PeerCredentials: Sendable {
    /// What it was called by when it connected.
    package let numbers: PeerNumbers
    package var user: UInt32 { numbers.user }
    package var group: UInt32 { numbers.group }
    package var process: Int32 { numbers.process }
    /// Whether the kernel itself says which process connected, and not only its number (before Linux 6.5).
    package let isKernelsWord: Bool
    private let witness: ProcessWitness
    /// A descriptor for the process (pidfd), where the kernel has them. It becomes readable when the process ends.
    package var processDescriptor: FileDescriptor? { witness.descriptor }

    /// Asks the kernel about the peer of a connected socket.
    ///
    /// - Throws: `SystemError`: `ESRCH` when the peer has ended already or cannot be seen, for then nothing can be known of it.
    package init(of socket: UnixSocket) throws(SystemError) { try self.init(try PeerNumbers(of: socket), of: socket) }

    /// The same for a peer whose numbers were asked for already.
    ///
    /// - Throws: as ``init(of:)``.
    package init(_ numbers: PeerNumbers, of socket: UnixSocket) throws(SystemError) {
        guard numbers.process > 0 else {
            throw SystemError(code: ESRCH, call: "getsockopt", advice: "the peer is outside this process namespace")
        }
        // What was noted when the connection was taken comes first: it is there where the kernel has nothing better.
        guard let witness = try Self.witness(of: socket), !witness.isUnknown else { throw Self.ended("getsockopt") }
        (self.numbers, self.witness) = (numbers, witness)
        isKernelsWord = socket.witness == nil
        guard isAlive else { throw Self.ended("getsockopt") }
    }

    /// Whether the process has not ended, so that what was just read from `/proc` under its number was its own.
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

    /// What was noted when the connection was taken, else the kernel's descriptor of the process that connected; nil before Linux
    /// 6.5.
    private static func witness(of socket: UnixSocket) throws(SystemError) -> ProcessWitness? {
        if let witness = socket.witness { return witness }
        do {
            let number = try retrying("getsockopt") { clinux_peer_pidfd(socket.descriptor.number) }
            return ProcessWitness(descriptor: FileDescriptor(owning: number))
        } catch  where error.code == ENOPROTOOPT {
            return nil
        } catch  where error.code == ENODATA || error.code == EINVAL || error.code == ESRCH {
            throw ended(error.call)
        }
    }

    private static func ended(_ call: String) -> SystemError {
        SystemError(code: ESRCH, call: call, advice: "the peer has ended")
    }
}

/// What a process was called by when it connected: numbers that the kernel keeps with the connection. The process may have ended
/// since, and another one have its number.
package struct PeerNumbers: Equatable, Sendable {
    /// Effective user and group.
    package let user: UInt32
    package let group: UInt32
    /// The process; 0 when it is outside our process namespace.
    package let process: Int32

    /// - Throws: `SystemError` of `getsockopt`.
    package init(of socket: UnixSocket) throws(SystemError) {
        var (process, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
        _ = try retrying("getsockopt") {
            unsafe clinux_peer_credentials(socket.descriptor.number, &process, &user, &group)
        }
        (self.user, self.group, self.process) = (user, group, process)
    }
}
