#!/bin/sh
# Files of gnome-keyring are imported without it, encrypted and plain.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/desktop_keyring_file_test.py "$(scripts/programs)"
