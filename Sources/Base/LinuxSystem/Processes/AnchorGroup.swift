import Glibc

/// The group that marks anchored programs. Nobody is in it; the kernel gives it to whoever executes such a program, and
/// keeps other processes of the user out of him.
package enum AnchorGroup {
    package static let name = "_keychain-anchored"

    /// The number of a group that is given by its name or its number; nil when there is none of that name.
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

    /// The users who are in the group, who should be none: who has it already is not anchored by getting it.
    ///
    /// - Throws: `SystemError` of `open` or `read`.
    package static func members(of name: String, in table: String = "/etc/group") throws(SystemError) -> [String] {
        try entry(name, table)?.members ?? []
    }

    /// The table itself is read, not the name service, which an executable without dynamic libraries cannot load.
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
