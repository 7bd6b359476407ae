#!/bin/sh
# No keychain is erased that nobody asked to delete.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/keychain_kept_test.py "$(scripts/programs)"
