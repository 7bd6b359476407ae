#!/bin/sh
# `security run` and `security inject` with files of a repository: what the question shows, and what a file never sets.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/run_files_test.py "$(scripts/programs)"
