/// The accounts of this machine in passwd(5). Accounts of other sources are not in it.
package enum AccountFile {
    package static let path = "/etc/passwd"
    private static let longest = 16 << 20

    /// The home folder of an account, as the file names it; nil when there is no such account.
    package static func home(of user: UInt32, in path: String = path) -> String? {
        guard let content = try? AtomicFile.read(path, limit: longest) else { return nil }
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            if fields.count >= 7, UInt32(fields[2]) == user { return String(fields[5]) }
        }
        return nil
    }
}
