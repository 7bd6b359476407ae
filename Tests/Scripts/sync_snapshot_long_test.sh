#!/bin/sh
# Six hundred batches of two machines over a folder, a machine that was away, and one that joins: logs become short.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/sync_snapshot_long_test.py "$(scripts/programs)"
