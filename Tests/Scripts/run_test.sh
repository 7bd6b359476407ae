#!/bin/sh
# `security run` and `security inject` with real commands: where a value shows, how they end, what a repository's files get.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/run_test.py "$(scripts/programs)"
