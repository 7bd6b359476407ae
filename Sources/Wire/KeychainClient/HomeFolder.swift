import Glibc
import LinuxSystem

/// Where a user's own files are.
enum HomeFolder {
    /// The folder that the environment names, or the account's: without one (a unit, a script of cron), and for `/`,
    /// which a container names that runs as a number. Accounts that are not in the file have theirs from the
    /// environment alone.
    ///
    /// - Parameter variable: the value of `HOME`; nil without one.
    /// - Returns: nil where there is none.
    static func path(_ variable: String?, of user: UInt32 = getuid(), accounts: String = AccountFile.path) -> String? {
        if let variable, isUsable(variable, by: user) { return variable }
        return AccountFile.home(of: user, in: accounts).flatMap { isUsable($0, by: user) ? $0 : nil }
    }

    private static func isUsable(_ path: String, by user: UInt32) -> Bool {
        path.hasPrefix("/") && (!isRoot(path) || user == 0)
    }

    /// Whether a path is another way to write `/`.
    private static func isRoot(_ path: String) -> Bool {
        path.split(separator: "/").allSatisfy { $0 == "." || $0 == ".." }
    }
}
