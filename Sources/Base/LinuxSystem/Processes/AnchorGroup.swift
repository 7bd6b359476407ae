import Glibc

/// The group that marks anchored programs. It has no members. The kernel gives it to a process that executes such a
/// program, and then denies the user's other processes access to that process.
package enum AnchorGroup {
    package static let name = "_keychain-anchored"

    /// The number of a group given by its name or its number; nil when there is no group of that name.
    ///
    /// - Parameter table: the system's groups, as in group(5).
    /// - Throws: `SystemError` of `open` or `read`; `EINVAL` for root's own group, which cannot mark anything.
    package static func find(
        _ name: String = AnchorGroup.name, in table: String = "/etc/group"
    ) throws(SystemError) -> UInt32? {
        let number = if let given = UInt32(name) { given } else { try entry(name, table)?.number }
        guard let number else { return nil }
        guard number != 0 else { throw SystemError(code: EINVAL, call: "group", advice: "root's group marks nothing") }
        return number
    }

    /// The members of the group. There should be none, because a program of a member already has the group without
    /// being anchored.
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package static func members(of name: String, in table: String = "/etc/group") throws(SystemError) -> [String] {
        try entry(name, table)?.members ?? []
    }

    /// Reads the table itself and not the name service, which an executable without dynamic libraries cannot load.
    private static func entry(
        _ name: String, _ table: String
    ) throws(SystemError) -> (number: UInt32, members: [String])? {
        for line in String(decoding: try AtomicFile.read(table, limit: 4 << 20), as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count == 4, fields[0] == name, let number = UInt32(fields[2]) else { continue }
            return (number, fields[3].split(separator: ",").map(String.init))
        }
        return nil
    }
}
