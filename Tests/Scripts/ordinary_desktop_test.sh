#!/bin/sh
# Programs of an ordinary user's desktop keep their secrets in the keychain.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 Tests/Scripts/ordinary_desktop_test.py "$(scripts/programs)"
