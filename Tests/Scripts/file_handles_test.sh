#!/bin/sh
# A program has hundreds of protected files open: a lock closes all of them, an unlock opens them again.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec "$(scripts/test-venv)" Tests/Scripts/file_handles_test.py "$bin"
