import KeychainModel

/// Where a login is good for, in the parts that an internet password keeps of it.
struct ServerAddress {
    let scheme: String
    let host: String
    /// 0 for the scheme's usual one; nil for any.
    private(set) var port: UInt16?
    /// Nil when the program did not say; then items with any path match.
    private(set) var path: String?

    /// - Parameter authority: a host, with a port behind a colon if there is one; an IPv6 address in brackets.
    /// - Returns: nil without a host, and for what is no port.
    init?(scheme: String, authority: String, path: String?) {
        var (host, digits) = (Substring(authority), Substring())
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            host = authority[..<colon]
            digits = authority[authority.index(after: colon)...]
            let isNumber = digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
            guard isNumber, let number = UInt16(digits), number > 0 else { return nil }
        }
        guard !scheme.isEmpty, !host.isEmpty else { return nil }
        self.scheme = scheme.lowercased()
        self.host = String(host)
        port = UInt16(digits) ?? 0
        self.path = path
    }

    /// The place of a login that is for a file and no host, such as a client certificate of git's (`cert`).
    ///
    /// - Returns: nil for a scheme with a code, whose logins are for hosts.
    init?(scheme: String, file: String) {
        (self.scheme, host, port, path) = (scheme.lowercased(), "", 0, file)
        guard !scheme.isEmpty, schemeWithoutCode != nil else { return nil }
    }

    /// The name that people see.
    var name: String { host.isEmpty ? path ?? "" : host }

    /// Takes a URL apart; what names no scheme is reached with https, as container registries are.
    init?(url: String) {
        guard let mark = url.firstRange(of: "://") else { return nil }
        self.init(scheme: String(url[..<mark.lowerBound]), rest: url[mark.upperBound...])
    }

    /// As ``init(url:)``, for a server that may be named without its scheme.
    init?(server: String) {
        if server.contains("://") { self.init(url: server) } else { self.init(scheme: "https", rest: server[...]) }
    }

    private init?(scheme: String, rest: Substring) {
        let slash = rest.firstIndex(of: "/")
        let path = slash.map { String(rest[$0...]) } ?? ""
        self.init(scheme: scheme, authority: String(rest[..<(slash ?? rest.endIndex)]), path: path == "/" ? "" : path)
    }

    /// The address with any port and any path in place of those that were left out.
    var looser: ServerAddress {
        var address = self
        if port == 0 { address.port = nil }
        if path?.isEmpty == true { address.path = nil }
        return address
    }

    /// The attributes that identify it, but for a scheme without a code.
    var attributes: [(code: String, value: RawValue)] {
        var attributes: [(code: String, value: RawValue)] = [("srvr", .string(host))]
        if let port { attributes.append(("port", .number(Int64(port)))) }
        // Without a code the protocol is none, not any: another scheme's logins must not be found under this one's
        // name.
        attributes.append(("ptcl", Self.codes[scheme].map { .string($0) } ?? .number(0)))
        if let path { attributes.append(("path", .string(path))) }
        return attributes
    }

    /// The scheme, where no code of four characters stands for it; then the security domain names it.
    var schemeWithoutCode: String? { Self.codes[scheme] == nil ? scheme : nil }

    /// The values of `kSecAttrProtocol`.
    private static let codes = [
        "https": "htps", "http": "http", "ftp": "ftp ", "ftps": "ftps", "imap": "imap", "imaps": "imps", "smtp": "smtp",
        "ssh": "ssh ", "pop3": "pop3", "pop3s": "pops", "ldap": "ldap", "ldaps": "ldps",
    ]
}

extension CredentialHelper {
    /// The domain of its logins for a server; a scheme without a code of four characters is named there.
    func domain(of server: ServerAddress) -> String { domain(behind: server.schemeWithoutCode ?? "") }
}
