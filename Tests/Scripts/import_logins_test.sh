#!/bin/sh
# Logins that browsers and programs for passwords have exported come into the keychain.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/import_logins_test.py "$(scripts/programs)"
