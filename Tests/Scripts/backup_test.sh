#!/bin/sh
# A keychain is backed up, drilled and restored by an ordinary user; a reader of the page of the format alone reads the file.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" -B Tests/Scripts/backup_test.py "$bin"
