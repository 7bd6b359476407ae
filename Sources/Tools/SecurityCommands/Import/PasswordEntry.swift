import LinuxSystem

/// A file of the password store behind gpg: a password on the first line, and what else is known on others. Lines may
/// end as on Windows.
struct PasswordEntry {
    let password: SecretBytes
    private var account = "", url = ""
    private var note: [Substring] = []
    /// Whether a line makes one-time passwords.
    private(set) var hasOneTimePassword = false

    private static let accounts = ["login", "user", "username", "email"]
    private static let addresses = ["url", "site", "website"]

    /// Nil for text behind the first line that is not UTF-8.
    init?(_ content: SecretBytes) {
        let end = content.withSpan { bytes in bytes.indices.first { bytes[$0] == .lineFeed } ?? bytes.count }
        password = content.withSpan { bytes in
            let isReturned = end > 0 && end < bytes.count && bytes[end - 1] == .carriageReturn
            return SecretBytes(copying: bytes.extracting(0..<(isReturned ? end - 1 : end)))
        }
        let rest = content.withSpan { $0.text(min(end + 1, $0.count), max($0.count - end - 1, 0)) }
        guard let rest else { return nil }
        // By bytes: for Swift both characters of a line's end on Windows are one, which is no line feed.
        for line in rest.utf8.split(separator: .lineFeed, omittingEmptySubsequences: false) {
            take(Substring(line.last == .carriageReturn ? line.dropLast() : line))
        }
        while note.last?.isEmpty == true { note.removeLast() }
    }

    private mutating func take(_ line: Substring) {
        if line.hasPrefix("otpauth:") { return hasOneTimePassword = true }
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let (key, value) = (parts[0].lowercased(), parts.count < 2 ? "" : String(parts[1].drop { $0 == " " }))
        switch key {
        case _ where value.isEmpty: note.append(line)
        case _ where Self.accounts.contains(key) && account.isEmpty: account = value
        case _ where Self.addresses.contains(key) && url.isEmpty: url = value
        default: note.append(line)
        }
    }

    /// The login of the file with a path: `web/example.org/ann`, or `web/example.org` with the account in a line.
    func login(_ path: String) -> ImportedLogin {
        let parts = path.split(separator: "/").map(String.init)
        let host = parts.last { Self.isHost($0) } ?? ""
        let isNamedByHost = host == parts.last
        let folders = parts.dropLast().joined(separator: "/")
        return ImportedLogin(
            title: path, url: url.isEmpty ? host : url,
            account: account.isEmpty && !isNamedByHost ? parts.last ?? "" : account,
            realm: "", note: note.joined(separator: "\n"), password: password,
            service: folders.isEmpty ? path : folders)
    }

    private static func isHost(_ part: String) -> Bool {
        part.contains(".") && !part.hasPrefix(".") && !part.hasSuffix(".")
            && part.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: ".")
                    || byte == UInt8(ascii: "-")
            }
    }
}

extension UInt8 {
    fileprivate static let lineFeed = UInt8(ascii: "\n")
    fileprivate static let carriageReturn = UInt8(ascii: "\r")
}
