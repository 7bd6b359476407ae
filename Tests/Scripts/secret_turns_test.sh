#!/bin/sh
# Programs of the desktop wait for no long call of the Secret Service.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the modules of D-Bus.
exec /usr/bin/python3 -B Tests/Scripts/secret_turns_test.py "$(scripts/programs)"
