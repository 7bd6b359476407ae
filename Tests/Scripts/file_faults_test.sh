#!/bin/sh
# Protected files on a disk that is full, and with calls that are interrupted or do less than they were asked.
set -eu
cd "$(dirname "$0")/../.."
library=$(mktemp -d)
trap 'rm -rf "$library"' EXIT
chmod 755 "$library"
cc -shared -fPIC -O1 -Wall -Wextra -o "$library/short_calls.so" Tests/Machinery/short_calls.c
python=$(scripts/test-venv)
"$python" Tests/Scripts/file_faults_test.py "$(scripts/programs)" "$library/short_calls.so"
