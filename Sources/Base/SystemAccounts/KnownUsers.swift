import Glibc
package import LinuxSystem

/// The user numbers of this machine.
package enum KnownUsers {
    private static let accounts = "/etc/passwd"
    private static let subordinates = "/etc/subuid"
    private static let longestFile = 16 << 20

    /// Whether a number belongs to an account. May take long: accounts can be on other machines (nsswitch.conf).
    ///
    /// Users have ranges of subordinate numbers (subuid(5)) that they may use freely. Those are looked up only on this
    /// machine, so that a user cannot cause thousands of lookups on another one.
    ///
    /// - Throws: `SystemError` of `getpwuid` or of reading the files: it is not known then.
    package static func contains(_ user: UInt32) throws(SystemError) -> Bool {
        if isSubordinate(user, in: try read(subordinates)) { return isListed(user, in: try read(accounts)) }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 64 << 10)
        let code = unsafe getpwuid_r(user, &entry, &room, room.count, &found)
        // The entry exists but is too large for the buffer.
        if code == ERANGE { return true }
        guard code == 0 || code == ENOENT else { throw SystemError(code: code, call: "getpwuid") }
        return unsafe found != nil
    }

    /// Whether a number is in a subordinate range.
    ///
    /// - Parameter text: the content of `/etc/subuid`: `owner:first:count` a line.
    package static func isSubordinate(_ user: UInt32, in text: String) -> Bool {
        text.split(separator: "\n").contains { line in
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 3, let first = UInt64(fields[1]), let count = UInt64(fields[2]) else { return false }
            return UInt64(user) >= first && UInt64(user) - first < count
        }
    }

    /// Whether a number belongs to a listed account.
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
