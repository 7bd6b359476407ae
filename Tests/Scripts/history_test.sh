#!/bin/sh
# Items are changed, deleted and brought back by the command while the daemon is killed: what was acknowledged is there, or an earlier version.
set -eu
cd "$(dirname "$0")/../.."
bin=$(${SWIFT:-swift} build --show-bin-path)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/history_test.py "$bin" "${KILLS:-40}"
