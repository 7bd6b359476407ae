#!/bin/sh
# Swift programs hold protected files open: with a daemon, with the keychain inside, and on a TPM in software.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/protected_files_test.py "$bin"
