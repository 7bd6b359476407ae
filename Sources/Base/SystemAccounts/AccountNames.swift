import Glibc
package import LinuxSystem

// A separate module, because it looks names up at run time (nsswitch.conf), which a static program cannot do.
extension Account {
    private static let mostGroups: CInt = 1024

    /// An account by name, or by number.
    ///
    /// - Throws: `SystemError`: `ENOENT` when there is none of that name; that of `getpwnam`.
    package init(_ text: String) throws(SystemError) {
        if let number = UInt32(text), number != .max {
            self.init(number: number)
            return
        }
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var room = [CChar](repeating: 0, count: 16 << 10)
        let code = unsafe getpwnam_r(text, &entry, &room, room.count, &found)
        guard code == 0 || code == ENOENT else { throw SystemError(code: code, call: "getpwnam") }
        guard unsafe found != nil else {
            throw SystemError(code: ENOENT, call: "getpwnam", advice: "there is no user \(text)")
        }
        let (user, group) = unsafe (entry.pw_uid, entry.pw_gid)
        var count = Self.mostGroups
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard unsafe getgrouplist(text, group, &groups, &count) >= 0 else {
            throw SystemError(code: ERANGE, call: "getgrouplist")
        }
        self.init(user: user, group: group, groups: Array(groups.prefix(Int(count))))
    }
}
