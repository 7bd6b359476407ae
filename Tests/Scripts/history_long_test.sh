#!/bin/sh
# As history_test.sh, with 40 kills at new moments, and the copy that a daemon makes by itself after a minute.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/history_test.py "$bin" "${KILLS:-40}" --long
