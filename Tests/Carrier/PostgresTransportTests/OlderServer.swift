import TestSupport

@testable import PostgresTransport

extension PostgresServer {
    /// Makes an installed server one of version 4, which notes no registrars.
    func becomeOlder() throws {
        try psql(
            """
            BEGIN;
            DROP FUNCTION keychain_sync.dismiss, keychain_sync.let_in;
            ALTER TABLE keychain_sync.devices DROP COLUMN registrars;
            UPDATE keychain_sync.version SET number = 4;
            \(Self.function("let_in(of bytea, newcomer bytea, hash bytea)", Self.letIn))
            \(Self.function("register(of bytea, by bytea, token bytea, newcomer bytea, hash bytea)", Self.register))
            COMMIT
            """)
    }

    private static func function(_ declaration: String, _ body: String) -> String {
        """
        CREATE OR REPLACE FUNCTION keychain_sync.\(declaration) RETURNS void
        LANGUAGE plpgsql SECURITY DEFINER SET search_path = keychain_sync, pg_temp AS $$
        #variable_conflict use_column
        \(body)
        $$;
        """
    }

    private static let letIn = """
        BEGIN
            IF EXISTS (
                SELECT FROM devices
                WHERE circle = of AND device = newcomer AND token_hash = hash AND removed IS NULL)
            THEN RETURN; END IF;
            IF EXISTS (SELECT FROM devices WHERE circle = of AND device = newcomer) THEN
                RAISE EXCEPTION 'the machine has another token, or was removed' USING ERRCODE = '42710';
            END IF;
            IF (SELECT count(*) FROM devices WHERE circle = of) >= 256 THEN
                RAISE EXCEPTION 'the circle has had 256 machines' USING ERRCODE = '53000';
            END IF;
            INSERT INTO devices VALUES (of, newcomer, hash);
        END
        """

    private static let register = """
        BEGIN
            PERFORM allow_change(of, by, token);
            PERFORM let_in(of, newcomer, hash);
        END
        """
}
