#!/bin/sh
# The first sync of 10,000 items, while kill -9 ends commands, carriers and daemons of both machines at random syncs to
# disk, over each kind of place.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
for place in folder server bucket; do
    "$python" Tests/Scripts/sync_first_long_test.py "$(scripts/programs)" $place
done
