import CLinux
import Glibc

/// Who is at the other end of a unix socket, by the kernel's word: the process that called `connect` (or `socketpair`),
/// as it was at that moment.
///
/// A process can hand its connection to another or replace its program afterwards. `user` and `group` stay what they were:
/// a program that runs set-group-ID to a group of ours is known by `group` (it connected after it was executed), not by
/// looking up its executable later.
package struct PeerCredentials: Sendable {
    /// Effective user and group when it connected.
    package let user: UInt32
    package let group: UInt32
    /// The process; 0 when it is outside our process namespace.
    package let process: Int32
    /// When the process started, in clock ticks since the boot; tells it from a later one with the same number.
    package let startTime: UInt64
    /// A descriptor for the process (pidfd), where the kernel has them. It becomes readable when the process ends.
    package let processDescriptor: FileDescriptor?

    /// Asks the kernel about the peer of a connected socket.
    ///
    /// - Throws: `SystemError`: `ESRCH` when the peer has ended already or cannot be seen, for then nothing can be known of it.
    package init(of socket: UnixSocket) throws(SystemError) {
        var (process, user, group): (Int32, UInt32, UInt32) = (0, 0, 0)
        _ = try retrying("getsockopt") {
            unsafe clinux_peer_credentials(socket.descriptor.number, &process, &user, &group)
        }
        guard process > 0 else {
            throw SystemError(code: ESRCH, call: "getsockopt", advice: "the peer is outside this process namespace")
        }
        let descriptor = try Self.openProcess(of: socket, process)
        do { startTime = try ProcessDirectory.startTime(of: process) } catch {
            throw SystemError(code: ESRCH, call: "getsockopt", advice: "the peer has ended")
        }
        (self.user, self.group, self.process, processDescriptor) = (user, group, process, descriptor)
        // The number is the peer's own only while the peer lives: what was read above belongs to it if it still does.
        guard isAlive else { throw SystemError(code: ESRCH, call: "getsockopt", advice: "the peer has ended") }
    }

    /// Whether the process has not ended, so that what was just read from `/proc` under its number was its own.
    package var isAlive: Bool {
        guard let processDescriptor else { return (try? ProcessDirectory.startTime(of: process)) == startTime }
        do { try processDescriptor.wait(for: .readable, deadline: .now) } catch { return error.code == ETIMEDOUT }
        return false
    }

    // Before Linux 6.5 the descriptor is made from the number, which leaves a moment in which the number may be reused.
    private static func openProcess(of socket: UnixSocket, _ process: Int32) throws(SystemError) -> FileDescriptor? {
        do {
            return FileDescriptor(owning: try retrying("getsockopt") { clinux_peer_pidfd(socket.descriptor.number) })
        } catch  where error.code == ENOPROTOOPT {
            let number = clinux_pidfd_open(process)
            return number < 0 ? nil : FileDescriptor(owning: number)
        } catch  where error.code == ENODATA || error.code == EINVAL {
            throw SystemError(code: ESRCH, call: error.call, advice: "the peer has ended")
        }
    }
}
