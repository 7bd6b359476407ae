#!/bin/sh
# kill -9 of commands for protected files at some system calls: the file is the old or the new one.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
FILE_KILLS=60 SEED=7 exec "$python" Tests/Scripts/file_kills_test.py "$(scripts/programs)"
