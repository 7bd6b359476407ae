#!/bin/sh
# The system service locks keychains with the sessions of their users.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
# The system's own Python has the modules of D-Bus.
exec /usr/bin/python3 Tests/Scripts/session_lock_test.py "$(scripts/programs)"
