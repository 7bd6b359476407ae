import CLinux
import Glibc

extension PeerCredentials {
    /// Queries the kernel about the peer of a connected socket.
    ///
    /// - Throws: `SystemError`: `ESRCH` when the peer has already ended or is not visible, because then nothing can be
    ///   known of it.
    package init(of socket: UnixSocket) throws(SystemError) { try self.init(try PeerNumbers(of: socket), of: socket) }

    /// The same for a peer whose numbers are already known.
    ///
    /// - Throws: as ``init(of:)``.
    package init(_ numbers: PeerNumbers, of socket: UnixSocket) throws(SystemError) {
        guard numbers.process > 0 else {
            throw SystemError(code: ESRCH, call: "getsockopt", advice: "the peer is outside this process namespace")
        }
        // The record made at accept comes first: it exists where the kernel has nothing better.
        guard let witness = try Self.witness(of: socket), !witness.isUnknown else { throw Self.ended("getsockopt") }
        self.init(numbers, witness, isKernelsWord: socket.witness == nil)
        guard isAlive else { throw Self.ended("getsockopt") }
    }

    /// The record made at accept, otherwise the kernel's descriptor of the process that connected; nil before Linux
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
}

extension PeerNumbers {
    /// - Throws: `SystemError` of `getsockopt`.
    package init(of socket: UnixSocket) throws(SystemError) {
        var (process, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
        _ = try retrying("getsockopt") {
            unsafe clinux_peer_credentials(socket.descriptor.number, &process, &user, &group)
        }
        (self.user, self.group, self.process) = (user, group, process)
    }
}

extension ProcessWitness {
    /// Whether this kernel reports only the number of a connection's process.
    package static let isNeeded: Bool = {
        guard let pair = try? UnixSocket.pair() else { return true }
        let number = clinux_peer_pidfd(pair.0.descriptor.number)
        guard number < 0 else { return FileDescriptor(owning: number).number < 0 }
        return true
    }()
}
