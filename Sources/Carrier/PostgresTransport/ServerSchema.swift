/// An installation makes this in a database of its own: tables that only their owner reads, and functions that tenants
/// call.
///
/// Each tenant has a login role. Roles see neither tables nor each other's sessions; the catalogs that would show those
/// are taken from everybody in this database.
enum ServerSchema {
    /// Raised with every change of the functions; ``ServerInstallation`` brings a server to it.
    static let version = 5

    /// The first version whose `dismiss` ends what a removed machine has registered.
    static let dismissing = 5

    /// Runs in one transaction, also over a server that has it already.
    static let statements = [
        schema, tables, rights, allow, allowReading, invite, enter, letIn, found, registration, dismissal,
        commit, discard, reading,
    ]

    // Users see these in the status of their circle. They stand in SQL's quotes: without an apostrophe.
    private static let stranger = "the server does not let this machine in: it was not added yet, or was removed"
    static let noBeginning =
        "the invitation was used, has ended, or is of another role or for a circle that is there"
    static let noEntrance = "the invitation was used, has ended, or is of another role or for a new circle"
    private static let full = "the circle has no more room on this server"

    private static let schema = """
        CREATE SCHEMA IF NOT EXISTS keychain_sync;
        DO $$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'keychain_sync_tenant') THEN
                CREATE ROLE keychain_sync_tenant NOLOGIN;
            END IF;
        END $$;
        """

    /// An invitation with a circle lets a machine into that one. A slot's part is -1 for a batch. Bodies are sealed, so
    /// that nothing would make them smaller. A machine that has entered by an invitation has no registrars, nor has one
    /// that a version before 5 has registered. One that was removed because nobody who let it in is left may return.
    private static let tables = """
        CREATE TABLE IF NOT EXISTS keychain_sync.version (number integer NOT NULL);
        CREATE TABLE IF NOT EXISTS keychain_sync.circles (
            circle bytea PRIMARY KEY CHECK (length(circle) = 16),
            tenant name NOT NULL,
            bytes bigint NOT NULL DEFAULT 0,
            quota bigint NOT NULL
        );
        ALTER TABLE keychain_sync.circles ADD COLUMN IF NOT EXISTS used date NOT NULL DEFAULT current_date;
        CREATE TABLE IF NOT EXISTS keychain_sync.devices (
            circle bytea NOT NULL REFERENCES keychain_sync.circles ON DELETE CASCADE,
            device bytea NOT NULL CHECK (length(device) = 16),
            token_hash bytea NOT NULL CHECK (length(token_hash) = 32),
            removed timestamptz,
            PRIMARY KEY (circle, device)
        );
        ALTER TABLE keychain_sync.devices ADD COLUMN IF NOT EXISTS registrars bytea[];
        ALTER TABLE keychain_sync.devices
            ADD COLUMN IF NOT EXISTS may_return boolean NOT NULL DEFAULT false;
        CREATE TABLE IF NOT EXISTS keychain_sync.slots (
            circle bytea NOT NULL REFERENCES keychain_sync.circles ON DELETE CASCADE,
            device bytea NOT NULL CHECK (length(device) = 16),
            seq bigint NOT NULL CHECK (seq > 0),
            part integer NOT NULL CHECK (part BETWEEN -1 AND 255),
            body bytea NOT NULL CHECK (length(body) BETWEEN 1 AND 4194304),
            PRIMARY KEY (circle, device, part, seq)
        );
        ALTER TABLE keychain_sync.slots ALTER COLUMN body SET STORAGE EXTERNAL;
        CREATE TABLE IF NOT EXISTS keychain_sync.invitations (
            hash bytea PRIMARY KEY CHECK (length(hash) = 32),
            tenant name NOT NULL,
            quota bigint NOT NULL CHECK (quota > 0),
            ends timestamptz NOT NULL
        );
        ALTER TABLE keychain_sync.invitations
            ADD COLUMN IF NOT EXISTS circle bytea REFERENCES keychain_sync.circles ON DELETE CASCADE;
        """

    /// Sessions of one role could read each other's queries and end each other; large objects and temporary tables are
    /// outside of every quota.
    private static let rights = """
        REVOKE ALL ON ALL TABLES IN SCHEMA keychain_sync FROM PUBLIC, keychain_sync_tenant;
        REVOKE CREATE ON SCHEMA public FROM PUBLIC;
        GRANT USAGE ON SCHEMA keychain_sync TO keychain_sync_tenant;
        DO $$ BEGIN
            EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', current_database());
        END $$;
        DO $$ DECLARE taken regprocedure; BEGIN
            FOR taken IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace AND (
                proname IN ('pg_stat_get_activity', 'pg_stat_get_backend_activity', 'pg_terminate_backend',
                    'pg_cancel_backend', 'pg_sleep', 'pg_sleep_for', 'pg_sleep_until', 'pg_lock_status')
                OR proname LIKE 'lo\\_%' OR proname LIKE 'pg\\_%advisory%' OR proname IN ('loread', 'lowrite'))
            LOOP EXECUTE 'REVOKE EXECUTE ON FUNCTION ' || taken || ' FROM PUBLIC'; END LOOP;
        END $$;
        REVOKE ALL ON pg_stat_activity, pg_locks FROM PUBLIC;
        """

    static func ownersAlone(_ functions: String...) -> String {
        functions.map {
            "REVOKE ALL ON FUNCTION keychain_sync.\($0) FROM PUBLIC, keychain_sync_tenant;\n"
        }.joined()
    }

    static func function(_ declaration: String, as body: String) -> String {
        """
        CREATE OR REPLACE FUNCTION keychain_sync.\(declaration)
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = keychain_sync, pg_temp AS $$
        #variable_conflict use_column
        \(body)
        $$;

        """
    }

    /// Revoking comes behind: a function is everybody's when it is made.
    static func tenants(_ functions: String...) -> String {
        functions.map {
            """
            REVOKE ALL ON FUNCTION keychain_sync.\($0) FROM PUBLIC;
            GRANT EXECUTE ON FUNCTION keychain_sync.\($0) TO keychain_sync_tenant;

            """
        }.joined()
    }

    /// The token must be the device's, and the circle the tenant's own. One message for all: nobody learns what is
    /// wrong. Changes of a circle come one after another, by the lock of its row: a transaction with an older view, in
    /// which a machine is not removed yet, fails there.
    private static let allow =
        function(
            "allow(of bytea, by bytea, token bytea) RETURNS void",
            as: """
                BEGIN
                    IF NOT EXISTS (
                        SELECT FROM devices JOIN circles USING (circle)
                        WHERE circle = of AND device = by AND token_hash = sha256(token) AND removed IS NULL
                            AND tenant = session_user)
                    THEN RAISE EXCEPTION '\(stranger)'
                        USING ERRCODE = '28000';
                    END IF;
                END
                """)
        + function(
            "allow_change(of bytea, by bytea, token bytea) RETURNS void",
            as: """
                BEGIN
                    PERFORM FROM circles WHERE circle = of FOR UPDATE;
                    PERFORM allow(of, by, token);
                END
                """)
        + ownersAlone("allow(bytea, bytea, bytea)", "allow_change(bytea, bytea, bytea)")

    /// A machine that recovers a circle reads before it has a place there. Its number is all zeros then, and its token
    /// an invitation into the circle. It writes nothing.
    private static let allowReading =
        function(
            "invited_to(invitation bytea) RETURNS bytea",
            as: """
                DECLARE target bytea;
                BEGIN
                    SELECT circle INTO target FROM invitations JOIN circles USING (circle)
                    WHERE hash = sha256(invitation) AND ends >= now()
                        AND invitations.tenant = session_user AND circles.tenant = session_user;
                    IF target IS NULL THEN RAISE EXCEPTION '\(noEntrance)' USING ERRCODE = '28000'; END IF;
                    RETURN target;
                END
                """)
        + function(
            "allow_reading(of bytea, by bytea, token bytea) RETURNS void",
            as: """
                BEGIN
                    IF by = decode(repeat('00', 16), 'hex') AND invited_to(token) = of THEN RETURN; END IF;
                    PERFORM allow(of, by, token);
                END
                """)
        + ownersAlone("allow_reading(bytea, bytea, bytea)")
        + tenants("invited_to(bytea)")

    /// For who runs the server: an invitation for a new circle of a tenant, or into one whose machines are lost.
    private static let invite =
        function(
            "invite(invited name, room bigint, days integer) RETURNS bytea",
            as: """
                DECLARE invitation bytea := sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()));
                BEGIN
                    DELETE FROM invitations WHERE ends < now();
                    INSERT INTO invitations VALUES (sha256(invitation), invited, room, now() + days * interval '1 day');
                    RETURN invitation;
                END
                """)
        + function(
            "invite_into(of bytea, invited name, days integer) RETURNS bytea",
            as: """
                DECLARE room bigint; invitation bytea;
                BEGIN
                    SELECT quota INTO room FROM circles WHERE circle = of AND tenant = invited;
                    IF room IS NULL THEN
                        RAISE EXCEPTION 'the role has no such circle' USING ERRCODE = '42704';
                    END IF;
                    invitation := invite(invited, room, days);
                    UPDATE invitations SET circle = of WHERE hash = sha256(invitation);
                    RETURN invitation;
                END
                """)
        + ownersAlone("invite(name, bigint, integer)", "invite_into(bytea, name, integer)")

    private static let enter =
        function(
            "version() RETURNS integer",
            as: "BEGIN RETURN (SELECT max(number) FROM version); END")
        + tenants("version()")

    /// An acknowledged commit is on disk, also where a role asks for less. A full queue of notifications fails none.
    private static let commit =
        function(
            "commit(of bytea, by bytea, token bytea, place bigint, piece integer, bytes_of bytea) RETURNS bytea",
            as: """
                DECLARE isNew boolean;
                BEGIN
                    PERFORM allow_change(of, by, token);
                    IF current_setting('synchronous_commit') IN ('off', 'local', 'remote_write') THEN
                        PERFORM set_config('synchronous_commit', 'on', true);
                    END IF;
                    UPDATE circles SET bytes = bytes + length(bytes_of), used = current_date WHERE circle = of;
                    INSERT INTO slots VALUES (of, by, place, piece, bytes_of) ON CONFLICT DO NOTHING;
                    GET DIAGNOSTICS isNew = ROW_COUNT;
                    IF NOT isNew THEN
                        UPDATE circles SET bytes = bytes - length(bytes_of) WHERE circle = of;
                        RETURN (
                            SELECT body FROM slots
                            WHERE circle = of AND device = by AND seq = place AND part = piece);
                    END IF;
                    IF EXISTS (SELECT FROM circles WHERE circle = of AND bytes > quota) THEN
                        RAISE EXCEPTION '\(full)' USING ERRCODE = '53100';
                    END IF;
                    IF pg_notification_queue_usage() < 0.5 THEN
                        PERFORM pg_notify('keychain_sync_' || encode(of, 'hex'), '');
                    END IF;
                    RETURN NULL;
                END
                """)
        + tenants("commit(bytea, bytea, bytea, bigint, integer, bytea)")

    /// A machine discards what it has written itself. Batches of a removed machine stay for a month: no machine can
    /// take another's batches away by removing it.
    private static let discard =
        function(
            "discard(of bytea, by bytea, token bytea, author bytea, places bigint[], pieces integer[]) RETURNS void",
            as: """
                DECLARE room bigint;
                BEGIN
                    PERFORM allow_change(of, by, token);
                    IF author <> by AND NOT EXISTS (
                        SELECT FROM devices
                        WHERE circle = of AND device = author AND removed < now() - interval '30 days')
                    THEN RAISE EXCEPTION 'a machine discards its own batches' USING ERRCODE = '42501';
                    END IF;
                    WITH gone AS (
                        DELETE FROM slots USING unnest(places, pieces) AS wanted (place, piece)
                        WHERE circle = of AND device = author AND seq = place AND part = piece
                        RETURNING length(body) AS size)
                    SELECT coalesce(sum(size), 0) INTO room FROM gone;
                    UPDATE circles SET bytes = bytes - room WHERE circle = of;
                END
                """)
        + tenants("discard(bytea, bytea, bytea, bytea, bigint[], integer[])")

    /// A batch comes with the next call where those before it have `most` bytes together.
    private static let reading =
        function(
            """
            changes(of bytea, by bytea, token bytea, authors bytea[], heads bigint[], most bigint)
            RETURNS TABLE (author bytea, place bigint, bytes_of bytea)
            """,
            as: """
                BEGIN
                    PERFORM allow_reading(of, by, token);
                    RETURN QUERY SELECT device, seq, body FROM (
                        SELECT device, seq, body,
                            sum(length(body)) OVER (ORDER BY device, seq) - length(body) AS earlier
                        FROM slots LEFT JOIN unnest(authors, heads) AS known (log, head) ON log = device
                        WHERE circle = of AND part = -1 AND seq > coalesce(head, 0)) AS rest
                    WHERE earlier < most ORDER BY device, seq;
                END
                """)
        + function(
            """
            ends(of bytea, by bytea, token bytea) RETURNS TABLE (author bytea, place bigint)
            """,
            as: """
                BEGIN
                    PERFORM allow_reading(of, by, token);
                    RETURN QUERY SELECT device, max(seq) FROM slots WHERE circle = of AND part = -1 GROUP BY device;
                END
                """)
        + function(
            """
            read(of bytea, by bytea, token bytea, author bytea, place bigint, piece integer) RETURNS bytea
            """,
            as: """
                BEGIN
                    PERFORM allow_reading(of, by, token);
                    RETURN (
                        SELECT body FROM slots
                        WHERE circle = of AND device = author AND seq = place AND part = piece);
                END
                """)
        + tenants(
            "changes(bytea, bytea, bytea, bytea[], bigint[], bigint)", "ends(bytea, bytea, bytea)",
            "read(bytea, bytea, bytea, bytea, bigint, integer)")
}
