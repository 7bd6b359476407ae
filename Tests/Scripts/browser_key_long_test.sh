#!/bin/sh
# A browser gets the key of its cookies from gnome-keyring, which another project changes, by the same calls.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/browser_key_test.py "$(scripts/programs)" compare_with_gnome_keyring
