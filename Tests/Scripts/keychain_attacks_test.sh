#!/bin/sh
# Named keychains under attack, with real daemons.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/keychain_attacks_test.py "$(scripts/programs)"
