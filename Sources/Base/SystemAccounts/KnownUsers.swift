import Glibc
package import LinuxSystem

/// Which numbers are users of this machine's.
package enum KnownUsers {
    private static let accounts = "/etc/passwd"
    private static let subordinates = "/etc/subuid"
    private static let longestFile = 16 << 20

    /// Whether a number is that of an account. May take long: accounts can be on other machines (nsswitch.conf).
    ///
    /// Users have ranges of numbers besides their own (subuid(5)), which they may take at will. These are looked for on
    /// this machine alone, so that nobody has thousands of them looked up elsewhere.
    ///
    /// - Throws: `SystemError` of `getpwuid` or of reading the files: it is not known then.
    package static func contains(_ user: UInt32) throws(SystemError) -> Bool {
        if isSubordinate(user, in: try read(subordinates)) { return isListed(user, in: try read(accounts)) }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 64 << 10)
        let code = unsafe getpwuid_r(user, &entry, &room, room.count, &found)
        // There is too much to say about it, so there is one.
        if code == ERANGE { return true }
        guard code == 0 || code == ENOENT else { throw SystemError(code: code, call: "getpwuid") }
        return unsafe found != nil
    }

    /// Whether a number is in a range of subordinate ones.
    ///
    /// - Parameter text: the content of `/etc/subuid`: `owner:first:count` a line.
    package static func isSubordinate(_ user: UInt32, in text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, let first = UInt64(fields[1]), let count = UInt64(fields[2]) else { return false }
            return UInt64(user) >= first && UInt64(user) - first < count
        }
    }

    /// Whether a number is an account's.
    ///
    /// - Parameter text: the content of `/etc/passwd`.
    package static func isListed(_ user: UInt32, in text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            return fields.count >= 7 && UInt32(fields[2]) == user
        }
    }

    private static func read(_ path: String) throws(SystemError) -> String {
        do throws(SystemError) {
            return String(decoding: try AtomicFile.read(path, limit: longestFile), as: UTF8.self)
        } catch {
            guard error.code == ENOENT else { throw error }
            return ""
        }
    }
}
