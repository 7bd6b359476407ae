#!/bin/sh
# The runtime directory comes with a login and goes with a logout; the keychain is reached all the same.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/logout_test.py "$(scripts/programs)"
