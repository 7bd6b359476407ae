#!/bin/sh
# Two machines of a user's keep a keychain in common over a folder: security sync, the daemons and keychain-carrier.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_test.py "$(scripts/programs)"
