#!/bin/sh
# A machine enters a circle on a PostgreSQL server by its recovery key when every other one is gone; nobody else is let in.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_recovery_remote_test.py "$(scripts/programs)" server
