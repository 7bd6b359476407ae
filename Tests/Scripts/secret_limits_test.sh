#!/bin/sh
# One program cannot use up the Secret Service.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the module of D-Bus.
exec /usr/bin/python3 -B Tests/Scripts/secret_limits_test.py "$(scripts/programs)"
