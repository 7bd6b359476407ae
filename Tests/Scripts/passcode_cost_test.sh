#!/bin/sh
# What a guess at a passcode costs: all of Argon2id, unless the runner of the tests asks a debug build for less.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/passcode_cost_test.py "$(scripts/programs)"
