import CLinux
import Glibc
import Synchronization

/// Open files that another process has sent.
///
/// The server of a file's file system decides how long a close takes, and may never finish it. So each file is closed
/// by a thread that nothing waits for. Few files of one user are closed at a time. A user whose files do not close
/// should not be allowed to send more.
///
/// A process that closes any descriptor of a file gives up its record locks on it (fcntl(2)). A file of this process's
/// own is therefore never closed.
package final class ForeignFiles: Sendable {
    private struct Closing: Sendable {
        let number: CInt
        let done: @Sendable () -> Void
    }

    /// The files of one user that must be closed.
    private struct Closings {
        var waiting: [Closing] = []
        var threads = 0
    }

    private let users = Lock([UInt32: Closings]())
    /// The number of users with files to close, for a cheap check at each message.
    private let count = Atomic(0)

    /// The limits of blocked threads per user, and of files that wait for them.
    package static let threadsOfUser = 4
    private static let waitingOfUser = 4

    private let isOwn: @Sendable (FileStatus) -> Bool

    /// - Parameter isOwn: whether this process may have locked a file. It is asked for files that others have sent.
    package init(isOwn: @escaping @Sendable (FileStatus) -> Bool = { _ in false }) { self.isOwn = isOwn }

    /// Whether a user's files close properly.
    package func areClosed(of user: UInt32) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return true }
        return users.withLock { users in
            guard let own = users[user] else { return true }
            return own.threads < Self.threadsOfUser || own.waiting.count < Self.waitingOfUser
        }
    }

    /// Takes ownership of a user's file, which is closed in this way.
    package func adopt(_ number: CInt, of user: UInt32) -> FileDescriptor {
        // Files of the kernel itself close at once.
        if Self.closesAtOnce(number) { return FileDescriptor(owning: number) }
        if let status = try? FileStatus(ofDescriptor: number), status.isRegularFile, isOwn(status) {
            return FileDescriptor(owning: number) { _ in }
        }
        return FileDescriptor(owning: number) { [self] in close($0, of: user) }
    }

    /// Whether only the kernel takes part in closing it.
    package static func closesAtOnce(_ number: CInt) -> Bool { clinux_is_of_kernel(number) == 1 }

    /// Closes a file of a user.
    ///
    /// - Parameter done: called when it is closed, which may be never.
    package func close(_ number: CInt, of user: UInt32, done: @escaping @Sendable () -> Void = {}) {
        let needsThread = users.withLock { users in
            if users[user] == nil { count.add(1, ordering: .relaxed) }
            users[user, default: Closings()].waiting.append(Closing(number: number, done: done))
            let threads = users[user]?.threads ?? 0
            if threads < Self.threadsOfUser { users[user]?.threads = threads + 1 }
            return threads < Self.threadsOfUser
        }
        guard needsThread else { return }
        do throws(SystemError) {
            _ = try Thread(named: "keychain-close") { [self] in
                while let next = take(of: user) {
                    Glibc.close(next.number)
                    next.done()
                }
            }
        } catch {
            // The user's next file, or the end of the process, closes it.
            users.withLock { $0[user]?.threads -= 1 }
        }
    }

    /// The next file; nil, which ends the thread, when there is none.
    private func take(of user: UInt32) -> Closing? {
        users.withLock { users in
            if let next = users[user]?.waiting.popLast() { return next }
            users[user]?.threads -= 1
            if users[user]?.threads == 0 {
                users[user] = nil
                count.subtract(1, ordering: .relaxed)
            }
            return nil
        }
    }
}
