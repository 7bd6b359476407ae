#!/bin/sh
# Parts of the system service are ended or stopped at random moments while clients ask; SEED, or a new seed, is printed.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
python3 Tests/Scripts/service_kill_test.py "$(scripts/programs)" "$@"
