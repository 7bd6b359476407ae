#!/bin/sh
# The hostile suite's attacks on an item, against a protected file in place of it. Words choose attacks by their names.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
exec python3 Tests/Hostile/files.py "$(scripts/programs)" "$@"
