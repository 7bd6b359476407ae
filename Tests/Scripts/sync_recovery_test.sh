#!/bin/sh
# A machine enters a circle by its recovery key when every other one is gone: security sync recovery-key and join -r.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_recovery_test.py "$(scripts/programs)"
