#!/bin/sh
# The same calls get the same answers from the Secret Service and from gnome-keyring, which another project changes.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the modules of D-Bus and of the clients.
exec /usr/bin/python3 Tests/Scripts/secret_service_test.py "$(scripts/programs)" compare_with_gnome_keyring
