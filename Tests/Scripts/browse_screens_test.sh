#!/bin/sh
# The viewer's screens, drawn by two terminals; UPDATE_SCREENS=1 writes them.
set -eu
cd "$(dirname "$0")/../.."
exec "$(scripts/test-venv)" Tests/Scripts/browse_screens_test.py "$(scripts/programs)"
