#!/bin/sh
# A circle in a folder that Syncthing carries between two homes.
set -eu
cd "$(dirname "$0")/../.."
exec "$(scripts/test-venv)" -B Tests/Scripts/syncthing_long_test.py
