#!/bin/sh
# Items go from a user's own store to the system service's, and back.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
python3 Tests/Scripts/migrate_store_test.py "$(scripts/programs)"
