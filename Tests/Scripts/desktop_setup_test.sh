#!/bin/sh
# The setup of the desktop and its undo.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/desktop_setup_test.py "$(scripts/programs)"
