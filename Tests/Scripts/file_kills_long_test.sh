#!/bin/sh
# kill -9 of commands for protected files, 1,000 times, each at a random system call: the file is the old or the new one.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/file_kills_test.py "$(scripts/programs)"
