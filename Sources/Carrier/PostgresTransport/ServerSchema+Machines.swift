// How machines get into a circle and out of it.

extension ServerSchema {
    /// All that have registered a machine are noted: it stays as long as one of them does. One that went with another
    /// machine comes back with the token that it had.
    static let letIn =
        "DROP FUNCTION IF EXISTS keychain_sync.let_in(bytea, bytea, bytea);\n"
        + "DROP FUNCTION IF EXISTS keychain_sync.dismiss(bytea, bytea, bytea, bytea[], bytea[]);\n"
        + function(
            "let_in(of bytea, newcomer bytea, hash bytea, registrar bytea) RETURNS void",
            as: """
                BEGIN
                    UPDATE devices SET removed = NULL, may_return = false,
                        registrars = array_append(array_remove(registrars, registrar), registrar)
                    WHERE circle = of AND device = newcomer AND token_hash = hash AND registrar IS NOT NULL
                        AND (removed IS NULL AND registrar <> ALL (registrars) OR removed IS NOT NULL AND may_return);
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
                    INSERT INTO devices (circle, device, token_hash, registrars)
                    VALUES (of, newcomer, hash, CASE WHEN registrar IS NOT NULL THEN ARRAY[registrar] END);
                END
                """)
        + ownersAlone("let_in(bytea, bytea, bytea, bytea)")

    /// Takes an invitation once, for a new circle or for the one that it lets a machine into. The machine repeats it
    /// without harm.
    static let found =
        function(
            "invited(invitation bytea) RETURNS void",
            as: """
                BEGIN
                    IF NOT EXISTS (
                        SELECT FROM invitations
                        WHERE hash = sha256(invitation) AND tenant = session_user AND ends >= now()
                            AND circle IS NULL)
                    THEN RAISE EXCEPTION '\(noBeginning)'
                        USING ERRCODE = '28000';
                    END IF;
                END
                """)
        + function(
            "found(invitation bytea, founded bytea, by bytea, token bytea) RETURNS void",
            as: """
                DECLARE room bigint; isThere boolean;
                BEGIN
                    IF EXISTS (
                        SELECT FROM devices WHERE circle = founded AND device = by AND token_hash = sha256(token))
                    THEN RETURN; END IF;
                    PERFORM FROM circles WHERE circle = founded FOR UPDATE;
                    isThere := FOUND;
                    IF isThere AND invited_to(invitation) <> founded THEN
                        RAISE EXCEPTION '\(noEntrance)' USING ERRCODE = '28000';
                    END IF;
                    IF NOT isThere THEN PERFORM invited(invitation); END IF;
                    DELETE FROM invitations WHERE hash = sha256(invitation) RETURNING quota INTO room;
                    IF room IS NULL THEN RAISE EXCEPTION '\(noBeginning)' USING ERRCODE = '28000'; END IF;
                    IF NOT isThere THEN
                        INSERT INTO circles (circle, tenant, quota) VALUES (founded, session_user, room);
                    END IF;
                    PERFORM let_in(founded, by, sha256(token), NULL);
                END
                """)
        + tenants("invited(bytea)", "found(bytea, bytea, bytea, bytea)")

    /// A machine of the circle lets another one in, or takes its token away for good; programs of releases before
    /// version 5 call `unregister`.
    static let registration =
        function(
            "register(of bytea, by bytea, token bytea, newcomer bytea, hash bytea) RETURNS void",
            as: """
                BEGIN
                    PERFORM allow_change(of, by, token);
                    PERFORM let_in(of, newcomer, hash, by);
                END
                """)
        + function(
            "allow_removal(of bytea, by bytea, token bytea) RETURNS void",
            as: """
                BEGIN
                    PERFORM allow_change(of, by, token);
                    -- A transaction that waits for the row's lock with an older view fails.
                    UPDATE circles SET bytes = bytes WHERE circle = of;
                END
                """)
        + function(
            "unregister(of bytea, by bytea, token bytea, gone bytea) RETURNS void",
            as: """
                BEGIN
                    PERFORM allow_removal(of, by, token);
                    UPDATE devices SET removed = now(), may_return = false
                    WHERE circle = of AND device = gone AND removed IS NULL;
                END
                """)
        + ownersAlone("allow_removal(bytea, bytea, bytea)")
        + tenants("register(bytea, bytea, bytea, bytea, bytea)", "unregister(bytea, bytea, bytea, bytea)")

    /// Takes the tokens of removed machines away for good, and those that nobody but they and theirs have registered.
    /// These may come back: an `add` of them by another member may not have been read yet. A caller may not know all
    /// members either. So a machine goes only where it is known that none of the others let it in: one whose registrar
    /// has lost nothing but its own token stays, and so does one without registrars that is not known to be out.
    static let dismissal =
        function(
            "dismiss(of bytea, by bytea, token bytea, gone bytea[], cut bytea[], members bytea[]) RETURNS void",
            as: """
                BEGIN
                    PERFORM allow_removal(of, by, token);
                    UPDATE devices SET removed = coalesce(removed, now()), may_return = false
                    WHERE circle = of AND device = ANY (gone) AND (removed IS NULL OR may_return);
                    WITH RECURSIVE kept AS (
                        SELECT device FROM devices
                        WHERE circle = of AND device <> ALL (gone)
                            AND (device = by OR device = ANY (members) OR removed IS NULL AND device <> ALL (cut)
                                AND (registrars IS NULL OR members = '{}'))
                        UNION
                        SELECT devices.device FROM devices JOIN kept ON kept.device = ANY (registrars)
                        WHERE circle = of AND devices.device <> ALL (gone))
                    UPDATE devices SET removed = now(), may_return = true
                    WHERE circle = of AND removed IS NULL AND device NOT IN (SELECT device FROM kept);
                END
                """)
        + tenants("dismiss(bytea, bytea, bytea, bytea[], bytea[], bytea[])")
}
