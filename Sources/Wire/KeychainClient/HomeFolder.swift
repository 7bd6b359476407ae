import Glibc
import LinuxSystem

/// Where a user's own files are.
enum HomeFolder {
    static let accounts = "/etc/passwd"
    private static let longestFile = 16 << 20

    /// The folder that the environment names, or the account's: without one (a unit, a script of cron), and for `/`,
    /// which a container names that runs as a number. Accounts that are not in the file have theirs from the
    /// environment alone.
    ///
    /// - Parameter variable: the value of `HOME`; nil without one.
    /// - Returns: nil where there is none.
    static func path(_ variable: String?, of user: UInt32 = getuid(), accounts: String = accounts) -> String? {
        if let variable, isUsable(variable, by: user) { return variable }
        guard let content = try? AtomicFile.read(accounts, limit: longestFile) else { return nil }
        let home = path(of: user, in: String(decoding: content, as: UTF8.self))
        return home.flatMap { isUsable($0, by: user) ? $0 : nil }
    }

    private static func isUsable(_ path: String, by user: UInt32) -> Bool {
        path.hasPrefix("/") && (path != "/" || user == 0)
    }

    /// - Parameter text: the content of passwd(5).
    private static func path(of user: UInt32, in text: String) -> String? {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count >= 7, UInt32(fields[2]) == user { return String(fields[5]) }
        }
        return nil
    }
}
