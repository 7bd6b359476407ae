#!/bin/sh
# When the keychain is locked, no process has a key of a protected file in its memory, not of one that is open either.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then echo "file_memory_test: skipped, to look into the memory of hardened processes takes root"; exit 0; fi
bin=$(scripts/programs)
exec "$(scripts/test-venv)" Tests/Scripts/file_memory_test.py "$bin"
