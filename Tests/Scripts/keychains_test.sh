#!/bin/sh
# Named keychains and those for one job, with real daemons.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/keychains_test.py "$(scripts/programs)"
