#!/bin/sh
# Keychains for one job, with real daemons.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/ci_keychain_test.py "$(scripts/programs)"
