import LinuxSystem
package import SyncFormat
package import SyncTransports

/// Makes a server ready for circles. Its administrator does this, in a database of its own, as a superuser: nobody else
/// can take rights from tenants that PostgreSQL gives to everybody.
package struct ServerInstallation: ~Copyable {
    private let connection: PostgresConnection
    private let patience = 60_000
    /// The sessions of a tenant at once: two for each machine.
    private static let connections = 64

    /// Connects.
    ///
    /// - Throws: ``TransportProblem``.
    package init(_ address: PostgresAddress) throws(TransportProblem) {
        connection = try .open(address, until: .after(milliseconds: patience))
    }

    /// Brings the database to the newest version, in one transaction. Nothing changes where it has that already.
    ///
    /// - Throws: ``TransportProblem/refused(_:)`` also where the server is newer.
    package func install() throws(TransportProblem) {
        let deadline = Deadline.after(milliseconds: patience)
        let version = ServerSchema.version
        let check = """
            DO $$ BEGIN
                IF (SELECT max(number) FROM keychain_sync.version) > \(version) THEN
                    RAISE EXCEPTION 'this server is newer: update the program';
                END IF;
                -- To others, REVOKE is a warning.
                IF EXISTS (
                    SELECT FROM pg_proc WHERE proname = 'pg_terminate_backend'
                        AND has_function_privilege('keychain_sync_tenant', oid, 'EXECUTE'))
                THEN RAISE EXCEPTION 'only a superuser can take these rights from tenants: install as one';
                END IF;
            END $$;
            DELETE FROM keychain_sync.version;
            INSERT INTO keychain_sync.version VALUES (\(version));
            """
        // Two installations at once would meet in the catalogs.
        let lock = "SELECT pg_advisory_xact_lock(hashtext('keychain_sync'))"
        let statements =
            ["SET client_min_messages = warning", "BEGIN", lock] + ServerSchema.statements + [check, "COMMIT"]
        do throws(TransportProblem) {
            try connection.run(statements.joined(separator: ";\n"), until: deadline)
        } catch {
            try? connection.run("ROLLBACK", until: deadline)
            throw error
        }
    }

    /// Lets a login role of the server call the functions.
    ///
    /// - Throws: ``TransportProblem/refused(_:)`` where there is no such role.
    package func admit(_ role: String) throws(TransportProblem) {
        let quoted =
            "\"" + role.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
        let statements =
            "GRANT keychain_sync_tenant TO \(quoted); ALTER ROLE \(quoted) CONNECTION LIMIT \(Self.connections)"
        try connection.run(statements, until: .after(milliseconds: patience))
    }

    /// An invitation for a new circle.
    ///
    /// - Parameters:
    ///   - room: what all batches of the circle may have, in bytes.
    ///   - days: how long it can be taken.
    /// - Throws: ``TransportProblem``.
    package func invite(_ role: String, room: Int, days: Int) throws(TransportProblem) -> [UInt8] {
        let values = [PostgresConnection.Value.text(role), .text(String(room)), .text(String(days))]
        return try invitation(from: "SELECT keychain_sync.invite($1, $2, $3)", values)
    }

    /// An invitation into a circle whose machines are all lost.
    ///
    /// - Parameter role: the circle's.
    /// - Throws: ``TransportProblem/refused(_:)`` where the role has no such circle.
    package func invite(_ role: String, into circle: CircleID, days: Int) throws(TransportProblem) -> [UInt8] {
        let values = [PostgresConnection.Value.bytes(circle.bytes), .text(role), .text(String(days))]
        return try invitation(from: "SELECT keychain_sync.invite_into($1::bytea, $2, $3)", values)
    }

    private func invitation(
        from query: String, _ values: [PostgresConnection.Value]
    ) throws(TransportProblem) -> [UInt8] {
        guard let invitation = try ask(query, values).first?.first ?? nil else {
            throw .refused("the server gave no invitation")
        }
        return invitation
    }

    func ask(
        _ query: String, _ values: [PostgresConnection.Value] = []
    ) throws(TransportProblem) -> [PostgresConnection.Row] {
        try connection.query(query, values, until: .after(milliseconds: patience))
    }
}
