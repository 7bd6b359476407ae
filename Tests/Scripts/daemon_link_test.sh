#!/bin/sh
# The file that leads to a store's daemon, removed, emptied, replaced, restored and sent around.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/daemon_link_test.py "$(scripts/programs)"
