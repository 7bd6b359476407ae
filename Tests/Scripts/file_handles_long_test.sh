#!/bin/sh
# A program has 10,000 protected files open: a lock closes all of them, an unlock opens them again.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
FILE_HANDLES=10000 exec "$(scripts/test-venv)" Tests/Scripts/file_handles_test.py "$bin"
