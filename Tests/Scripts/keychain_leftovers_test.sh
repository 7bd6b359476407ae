#!/bin/sh
# Folders of keychains that go, and leftovers of killed programs, with real daemons.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/keychain_leftovers_test.py "$(scripts/programs)"
