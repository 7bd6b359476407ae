#!/bin/sh
# Two machines of a team keep a keychain in common over a PostgreSQL server: its certificate, an invitation, a token for
# each machine, and what a server that is away, or a machine that is removed, leads to.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/sync_server_test.py "$(scripts/programs)"
