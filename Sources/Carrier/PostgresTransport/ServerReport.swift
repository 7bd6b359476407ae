package import SyncTransports

/// A circle as the administrator of its server sees it.
package struct HostedCircleReport: Equatable, Sendable {
    /// Lower-case hexadecimal digits.
    package let circle: String
    /// The login role.
    package let tenant: String
    /// The machines that may call.
    package let machines: Int
    package let bytes: Int
    package let quota: Int
    /// The day of the last commit: YYYY-MM-DD.
    package let used: String
}

extension ServerInstallation {
    /// All circles, the largest first.
    ///
    /// - Throws: ``TransportProblem``.
    package func circles() throws(TransportProblem) -> [HostedCircleReport] {
        let rows = try ask(
            """
            SELECT encode(circle, 'hex'), tenant::text,
                (SELECT count(*) FROM keychain_sync.devices d WHERE d.circle = c.circle AND removed IS NULL)::text,
                bytes::text, quota::text, used::text
            FROM keychain_sync.circles c ORDER BY bytes DESC, circle
            """)
        return rows.compactMap { row in
            let columns = row.map { String(decoding: $0 ?? [], as: UTF8.self) }
            guard columns.count == 6, let machines = Int(columns[2]), let bytes = Int(columns[3]),
                let quota = Int(columns[4])
            else { return nil }
            return HostedCircleReport(
                circle: columns[0], tenant: columns[1].plain, machines: machines, bytes: bytes, quota: quota,
                used: columns[5])
        }
    }
}
