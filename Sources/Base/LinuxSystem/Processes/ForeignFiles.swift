import CLinux
import Glibc
import Synchronization

/// Files that somebody else has opened and sent here.
///
/// The server of a file's file system decides how long it takes to close it, and may never say that it is: so each is
/// closed by a thread that nobody waits for. Of one user few are closed at a time, and from the user who has more open
/// that do not close, no further ones should be taken.
package final class ForeignFiles: Sendable {
    private struct Closing: Sendable {
        let number: CInt
        let done: @Sendable () -> Void
    }

    /// The files of one user that are to be closed.
    private struct Closings {
        var waiting: [Closing] = []
        var threads = 0
    }

    private let users = Lock([UInt32: Closings]())
    /// How many have something, for who looks at each message.
    private let count = Atomic(0)

    /// Threads that a user may lose, and files that may wait for them.
    package static let threadsOfUser = 4
    private static let waitingOfUser = 4

    package init() {}

    /// Whether files of a user's are closed as they should be.
    package func areClosed(of user: UInt32) -> Bool {
        guard count.load(ordering: .relaxed) > 0 else { return true }
        return users.withLock { users in
            guard let own = users[user] else { return true }
            return own.threads < Self.threadsOfUser || own.waiting.count < Self.waitingOfUser
        }
    }

    /// A file of a user's, which is closed so.
    package func adopt(_ number: CInt, of user: UInt32) -> FileDescriptor {
        // Files of the kernel's own close at once.
        if Self.closesAtOnce(number) { return FileDescriptor(owning: number) }
        return FileDescriptor(owning: number) { [self] in close($0, of: user) }
    }

    /// Whether nobody but the kernel has a part in closing it.
    package static func closesAtOnce(_ number: CInt) -> Bool { clinux_is_of_kernel(number) == 1 }

    /// Closes a file of a user's.
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
            // Its next file has it closed, or the end of the process.
            users.withLock { $0[user]?.threads -= 1 }
        }
    }

    /// The next one; nil, and the thread ends, when there is none.
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
