#!/bin/sh
# The key of a browser's cookies outlives locks and restarts, and no second one is made.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/browser_key_test.py "$(scripts/programs)"
