#!/bin/sh
# Protected files at their limits: very large ones, a full disk, a kill in the middle.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec "$(scripts/test-venv)" Tests/Scripts/file_limits_test.py "$bin"
