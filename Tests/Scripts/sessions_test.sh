#!/bin/sh
# The sessions of Tests/Sessions, in every deployment, with a terminal and without one.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
for tool in openssl bash setsid; do
    if ! command -v $tool >/dev/null; then echo "$name: skipped, $tool is not installed"; exit 0; fi
done
if [ "$(id -u)" -eq 0 ] && ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
exec python3 Tests/Scripts/sessions_test.py "$(scripts/programs)" "$@"
