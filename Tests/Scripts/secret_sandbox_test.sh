#!/bin/sh
# Applications in sandboxes have secrets of their own on the desktop.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the module of D-Bus.
exec /usr/bin/python3 -B Tests/Scripts/secret_sandbox_test.py "$(scripts/programs)"
