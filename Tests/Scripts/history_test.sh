#!/bin/sh
# Items are changed, deleted and brought back by the command, and the daemon is killed: what was acknowledged is there, or an earlier version.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
SEED=1 exec "$python" Tests/Scripts/history_test.py "$bin" 6
