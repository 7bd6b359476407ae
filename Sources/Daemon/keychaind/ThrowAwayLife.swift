import Glibc
import LinuxSystem

/// The life of a throw-away keychain: it ends with its owner or after a time, and leaves no file behind.
///
/// `security ci-stop` ends it by removing the socket, as everything that hides a daemon from its programs does.
struct ThrowAwayLife {
    struct Limits {
        /// The number of the process that it belongs to.
        var owner: Int32?
        var seconds: UInt64?
    }

    private let owner: RunningProcess?
    private let deadline: Deadline
    private let folder: String

    /// How often an owner is waited for, where there is no other limit: milliseconds.
    private static let longestWait = 3_600_000

    /// Holds the owner, so that it cannot be confused with a later process.
    ///
    /// - Throws: `SystemError` with `ESRCH` when the owner has ended already; `EINVAL` without any limit.
    init(_ limits: Limits, _ folder: String) throws(SystemError) {
        guard limits.owner != nil || limits.seconds != nil else {
            throw SystemError(code: EINVAL, call: "keychaind", advice: "--throw-away takes --owner or --ttl besides")
        }
        owner = try limits.owner.map { number throws(SystemError) in try RunningProcess(number) }
        deadline = limits.seconds.map { .after(milliseconds: Int($0) * 1000) } ?? .never
        self.folder = folder
        // SQLite's temporary files lie in memory too.
        unsafe setenv("SQLITE_TMPDIR", folder, 1)
    }

    /// Has a thread wait for the end.
    ///
    /// - Throws: `SystemError` when there are too many threads.
    func start(_ end: @escaping @Sendable () -> Void) throws(SystemError) {
        _ = try Thread(named: "keychain-owner") { [owner, deadline] in
            while !deadline.hasPassed {
                let wait = min(deadline, .after(milliseconds: Self.longestWait))
                if (try? owner?.end.wait(for: .readable, deadline: wait)) != nil { break }
                if owner == nil { Self.pass(until: wait) }
            }
            end()
        }
    }

    private static func pass(until deadline: Deadline) {
        _ = poll(nil, 0, deadline.remainingMilliseconds)
    }

    /// Removes the folder: the store, the vault, and the keychains that were made in it. Their daemons see that and
    /// end. A file that one of them makes meanwhile is removed by another turn.
    ///
    /// - Parameter served: the folder that was served; another one at its path is left alone.
    func erase(_ served: StoreFolder) {
        for _ in 0..<3 where (try? served.check()) != nil && (try? PrivateDirectory.remove(folder)) == nil {}
    }
}
