#!/bin/sh
# The hostile suite, against the system deployment with users of this machine; PROGRAMS: a folder of other programs than
# the debug build's.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root (make hostile)"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
programs=$(scripts/programs)
wrong=0
# Once as the kernel is, once as kernels before Linux 6.5 are.
for mask in "" --masked; do
    python3 Tests/Hostile/hostile.py $mask "$programs" "$@" || wrong=1
done
exit $wrong
