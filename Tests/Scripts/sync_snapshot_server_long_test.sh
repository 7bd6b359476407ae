#!/bin/sh
# Six hundred batches of two machines, a machine that was away, one that joins, and one that recovers: logs become short.
# The circle is at a PostgreSQL server.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_snapshot_long_test.py "$(scripts/programs)" server
