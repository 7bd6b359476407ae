#!/bin/sh
# Daemons, enclaves and writers that are killed at any moment never leave what looks like an older copy.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/older_copies_test.py "$(scripts/programs)" Kills
