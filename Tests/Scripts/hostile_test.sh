#!/bin/sh
# The hostile suite without the attacks on how long others wait, once and as the kernel is (hostile_long_test.sh has them
# all): hostile_test.sh [WORD...], attacks whose names have one of the words.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root (make hostile)"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
exec python3 Tests/Hostile/hostile.py --gate "${PROGRAMS:-$(${SWIFT:-swift} build --show-bin-path)}" "$@"
