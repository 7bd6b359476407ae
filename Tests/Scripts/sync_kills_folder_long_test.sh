#!/bin/sh
# kill -9 of each process of a recovery, a new key and a reset at each of its syncs to disk: the same command, repeated,
# gets through. The circle is at a folder.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_kills_long_test.py "$(scripts/programs)" folder
