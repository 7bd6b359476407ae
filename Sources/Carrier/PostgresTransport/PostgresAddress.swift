import CPostgres
package import SyncTransports

/// Where a server is, as PostgreSQL's own URLs say it.
package struct PostgresAddress: Hashable, Sendable {
    /// Keywords and values of libpq.
    let options: [String: String]

    /// - Throws: ``TransportProblem/refused(_:)`` for a URL that libpq does not read, and one that asks for less than a
    ///   verified connection. It refuses a password too, which every program of this machine could see.
    package init(_ url: String) throws(TransportProblem) {
        var options = try Self.parse(url)
        guard options["password"] == nil else {
            throw .refused("the URL has a password: put it into ~/.pgpass, and leave it out here")
        }
        if !Self.isLocal(options) {
            guard options["sslmode"] ?? "verify-full" == "verify-full" else {
                throw .refused("sslmode is verify-full, or left out: another server could take the place of yours")
            }
            options["sslmode"] = "verify-full"
        }
        // Of a server and its standby, the one that takes writes.
        options["target_session_attrs"] = options["target_session_attrs"] ?? "read-write"
        options["application_name"] = "keychain-carrier"
        self.options = options
    }

    /// Whether only sockets of this machine are named. There can be several hosts, and numbers besides.
    private static func isLocal(_ options: [String: String]) -> Bool {
        let hosts = (options["host"] ?? "").split(separator: ",", omittingEmptySubsequences: false)
        return options["hostaddr"] == nil && hosts.allSatisfy { $0.hasPrefix("/") }
    }

    private static func parse(_ url: String) throws(TransportProblem) -> [String: String] {
        guard url.hasPrefix("postgresql://") || url.hasPrefix("postgres://") else {
            throw .refused("the URL does not begin with postgresql://")
        }
        guard let first = unsafe PQconninfoParse(url, nil) else { throw .refused("PostgreSQL does not read this URL") }
        defer { unsafe PQconninfoFree(first) }
        var (options, next) = unsafe ([String: String](), first)
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val {
                unsafe options[String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe next += 1
        }
        return options
    }
}
