#!/bin/sh
# The viewer's screens with every locale on every terminal.
set -eu
cd "$(dirname "$0")/../.."
exec "$(scripts/test-venv)" Tests/Scripts/browse_screens_test.py "$(scripts/programs)" --long
