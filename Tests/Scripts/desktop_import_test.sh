#!/bin/sh
# An import brings along what gnome-keyring has.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/desktop_import_test.py "$(scripts/programs)"
