#!/bin/sh
# Stores without a name, items of other programs, and what stays, with real daemons.
set -eu
cd "$(dirname "$0")/../.."
# The small disk of one part is mounted where no other process sees it, and goes with this one.
isolation=""
if unshare --mount true 2>/dev/null; then isolation="unshare --mount"; fi
exec $isolation python3 Tests/Scripts/keychain_orphans_test.py "$(scripts/programs)"
