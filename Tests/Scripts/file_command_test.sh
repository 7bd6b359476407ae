#!/bin/sh
# Files are protected by the command: they open and lock with the keychain, and for their group alone.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/file_command_test.py "$bin"
