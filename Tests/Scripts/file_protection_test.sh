#!/bin/sh
# Code from iOS that protects its files by Foundation's means really does, after one file was added to its target.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/file_protection_test.py "$bin"
