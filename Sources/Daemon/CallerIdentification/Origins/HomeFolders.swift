import LinuxSystem

/// The folders that accounts have for themselves, as programs see them that share the machine's file system. To look at
/// one can take long: a home may lie on another machine.
final class HomeFolders: Sendable {
    private struct Look {
        let home: String
        let at = Clock.monotonicNanoseconds
    }

    private let looks = Lock<[UInt32: Look]>([:])
    private let accounts: String

    /// How long a look counts: nanoseconds.
    private static let freshness: UInt64 = 60_000_000_000
    /// More users than call in the same minute.
    private static let most = 1024

    /// - Parameter accounts: the file that names the homes (passwd(5)); not the environment, a program's own word.
    init(accounts: String = AccountFile.path) { self.accounts = accounts }

    /// A user's own folder, if it was found lately.
    func known(_ user: UInt32) -> String? {
        looks.withLock { looks in
            guard let look = looks[user], Clock.monotonicNanoseconds - look.at < Self.freshness else { return nil }
            return look.home
        }
    }

    /// A user's own folder, without symbolic links, looked for now if it is not known; nil when there is none, which is
    /// not remembered: it may be mounted later.
    ///
    /// - Parameter view: of a process that sees what everybody sees, and that no user has started.
    func find(_ user: UInt32, seenBy view: ProcessView) -> String? {
        if let known = known(user) { return known }
        guard let home = home(of: user, view) else { return nil }
        looks.withLock { looks in
            if looks.count >= Self.most { looks.removeAll() }
            looks[user] = Look(home: home)
        }
        return home
    }

    /// Nil where the account's home is not the account's: services have `/`, `/dev` or `/usr/sbin`, which are
    /// everybody's.
    private func home(of user: UInt32, _ view: ProcessView) -> String? {
        guard let written = AccountFile.home(of: user, in: accounts), written.hasPrefix("/"),
            let found = try? view.folder(at: written), found.path.hasPrefix("/"), found.path != "/",
            found.status.owner == user
        else { return nil }
        return found.path
    }
}
