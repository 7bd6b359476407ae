import CPostgres
package import SyncTransports

/// Where a server is, as PostgreSQL's own URLs say it.
package struct PostgresAddress: Hashable, Sendable {
    /// Keywords and values of libpq, once for each host: of a server and its standbys, one takes writes.
    let hosts: [[String: String]]

    /// Keywords that say where a server is, who calls, and how its certificate is verified. A URL may be another
    /// person's: other keywords of libpq write files, run code, trust a realm of Kerberos, or ask other servers.
    private static let known: Set = [
        "host", "hostaddr", "port", "dbname", "user", "passfile", "options", "target_session_attrs", "require_auth",
        "channel_binding", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "sslcrldir", "sslsni",
        "sslnegotiation", "ssl_min_protocol_version", "ssl_max_protocol_version", "requirepeer", "connect_timeout",
        "keepalives", "keepalives_idle", "keepalives_interval", "keepalives_count", "tcp_user_timeout",
        "application_name", "fallback_application_name",
    ]

    /// Seconds, and a count.
    private static let keepalives = [
        "keepalives_idle": "240", "keepalives_interval": "30", "keepalives_count": "3",
    ]

    /// - Throws: ``TransportProblem/refused(_:)`` for a URL that libpq does not read, and one that asks for less than a
    ///   verified connection, or for anything else than a connection. It refuses a password too, which every program of
    ///   this machine could see.
    package init(_ url: String) throws(TransportProblem) {
        var options = try Self.parse(url)
        guard options["password"] == nil, options["sslpassword"] == nil else {
            throw .refused("the URL has a password: put it into ~/.pgpass, and leave it out here")
        }
        guard options["sslmode"] ?? "verify-full" == "verify-full" else {
            throw .refused("sslmode is verify-full, or left out: another server could take the place of yours")
        }
        if let other = options.keys.filter({ !Self.known.contains($0) }).min() {
            throw .refused("the URL says \(other), which is no part of a circle's place: leave it out")
        }
        // libpq would load a module for what stands before a colon.
        guard !(options["sslkey"] ?? "").contains(":") else { throw .refused("sslkey is the path of a file") }
        // A socket of this machine has no TLS, whatever this says.
        options["sslmode"] = "verify-full"
        // libpq prefers Kerberos, where the user has a ticket: no certificate is verified then.
        options["gssencmode"] = "disable"
        options["target_session_attrs"] = options["target_session_attrs"] ?? "read-write"
        options["application_name"] = "keychain-carrier"
        // A connection that is told of changes may be silent for hours. The kernel notices one that was lost on the
        // way, and a machine that was asleep learns of it soon.
        options.merge(Self.keepalives) { given, _ in given }
        hosts = Self.divided(options)
    }

    /// libpq would wait for the first host as long as for all.
    private static func divided(_ options: [String: String]) -> [[String: String]] {
        let divided = ["host", "hostaddr", "port"].map { ($0, (options[$0] ?? "").list) }
        let count = divided.map(\.1.count).max() ?? 1
        return (0..<count).map { number in
            options.merging(divided.map { ($0.0, $0.1[min(number, $0.1.count - 1)]) }) { $1 }.filter {
                !$0.value.isEmpty
            }
        }
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

extension String {
    fileprivate var list: [String] { split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
}
