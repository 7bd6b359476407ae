#!/bin/sh
# Searches in a home that has no keychain.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/unmade_keychain_test.py "$(scripts/programs)"
