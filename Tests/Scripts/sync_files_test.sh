#!/bin/sh
# A file that one machine of a circle protects opens on another: security file, security sync and the daemons.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_files_test.py "$(scripts/programs)"
