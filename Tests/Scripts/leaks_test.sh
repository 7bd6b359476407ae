#!/bin/sh
# Secrets are in no file, no log, no command line and no memory that may be swapped, after a run that does everything with them.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then echo "leaks_test: skipped, to look into the memory of hardened processes takes root"; exit 0; fi
exec python3 Tests/Scripts/leaks_test.py "$(scripts/programs)"
