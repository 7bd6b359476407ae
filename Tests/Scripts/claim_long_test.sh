#!/bin/sh
# Names that programs claim for themselves: built, moved and installed programs, and who else has their items; a claim in Swift; and a service that hides homes.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
programs=$(scripts/programs)
python3 Tests/Scripts/claim_test.py --swift "$programs"
unshare --mount --pid --fork --mount-proc python3 Tests/Scripts/claim_test.py --hidden "$programs"
