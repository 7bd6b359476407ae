#!/bin/sh
# Vaults that programs for passwords have exported in formats of their own come into the keychain.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/import_exports_test.py "$(scripts/programs)"
