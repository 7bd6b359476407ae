#!/bin/sh
# The viewer follows what other programs change.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/browse_changes_test.py "$(scripts/programs)"
