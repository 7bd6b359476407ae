#!/bin/sh
# Stores without a name, items of other programs, and what stays, with real daemons.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/keychain_orphans_test.py "$(scripts/programs)"
