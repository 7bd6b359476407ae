"""Attacks of the places of circles, which other tests make: rows of the threats page's table."""

# What is tried, what comes of it, and the tests below `Tests` that try it.
ATTEMPTS = [
    (
        "a server with another certificate or name takes the place of a circle's own, or a URL asks for less than TLS",
        "fails",
        "Scripts/sync_server_test.py",
    ),
    (
        "an invitation into one circle of a server lets somebody read or enter another, write before, or enter twice",
        "fails",
        "Scripts/sync_recovery_remote_test.py",
        "Carrier/PostgresTransportTests/PostgresTransportTests.swift",
    ),
    (
        "a machine without an invitation, with one that was used, or without its token reaches a circle on a server",
        "fails",
        "Scripts/sync_server_test.py",
        "Carrier/PostgresTransportTests/PostgresTransportTests.swift",
    ),
    (
        "a machine that was removed reads, writes or shuts others out by further tokens that it had registered",
        "fails",
        "Carrier/PostgresTransportTests/ServerRemovalTests.swift",
        "Scripts/sync_server_test.py",
    ),
    (
        "a machine in wrong hands that is still in shuts others out of a server, until the administrator lets them in",
        "possible",
        "Carrier/PostgresTransportTests/ServerRemovalTests.swift",
    ),
    (
        "an object store with another certificate takes the place of a circle's own, or one lets "
        "machines overwrite others",
        "fails",
        "Scripts/sync_bucket_test.py",
    ),
    (
        "a URL of a server has libpq load a module, change its protocol, or trust a ticket in place of a certificate",
        "fails",
        "Carrier/PostgresTransportTests/PostgresTransportTests.swift",
    ),
    (
        "another user of the machine has a socket where a circle's server had its own",
        "fails",
        "Carrier/PostgresTransportTests/HostilePostgresTests.swift",
    ),
    (
        "variables of a session send the carrier to another server, or have the keys of its connections written down",
        "fails",
        "Scripts/sync_server_test.py",
        "Scripts/sync_bucket_test.py",
    ),
    (
        "a server takes the carrier's memory by rows of gigabytes, of thousands of empty columns, or without an end",
        "fails",
        "Scripts/sync_server_test.py",
        "Carrier/PostgresTransportTests/HostilePostgresTests.swift",
    ),
    (
        "a server has the carrier compute a password's proof for an hour, and go no round meanwhile",
        "fails",
        "Carrier/PostgresTransportTests/HostilePostgresTests.swift",
    ),
    (
        "an object store sends the carrier elsewhere, answers without an end, or lists more batches "
        "than any circle has",
        "fails",
        "Carrier/ObjectTransportTests/ObjectTransportTests.swift",
    ),
]
