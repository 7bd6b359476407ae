#!/bin/sh
# The commands that hide their memory, as a user whose daemon is their own and has no privilege.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/ordinary_user_test.py "$(scripts/programs)"
