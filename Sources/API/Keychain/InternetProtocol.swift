/// An internet protocol, by the keychain's four letters for it. The `kSecAttrProtocol` constants have the letters of
/// other protocols.
public struct InternetProtocol: RawRepresentable, Hashable, Sendable {
    /// The four letters.
    public let rawValue: String
    /// A protocol by its four letters.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Web pages.
    public static let http = Self(rawValue: "http")
    /// Web pages over TLS.
    public static let https = Self(rawValue: "htps")
    /// File transfer.
    public static let ftp = Self(rawValue: "ftp ")
    /// A shell on another machine.
    public static let ssh = Self(rawValue: "ssh ")
    /// Sending mail.
    public static let smtp = Self(rawValue: "smtp")
    /// Reading mail.
    public static let imap = Self(rawValue: "imap")
    /// Directories.
    public static let ldap = Self(rawValue: "ldap")
}
