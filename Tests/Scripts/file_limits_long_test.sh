#!/bin/sh
# Content of 10 GiB goes through the commands for protected files in little memory, and comes back as it was.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec "$(scripts/test-venv)" Tests/Scripts/file_limits_long_test.py "$bin"
