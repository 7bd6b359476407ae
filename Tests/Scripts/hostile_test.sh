#!/bin/sh
# The hostile suite once, as the kernel is, without attacks on how long others wait; hostile_long_test.sh has them all.
# Words choose the attacks whose names have one of them.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root (make hostile)"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
exec python3 Tests/Hostile/hostile.py --gate "$(scripts/programs)" "$@"
