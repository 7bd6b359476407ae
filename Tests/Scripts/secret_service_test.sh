#!/bin/sh
# The Secret Service with Debian's own clients.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the modules of D-Bus and of the clients.
exec /usr/bin/python3 Tests/Scripts/secret_service_test.py "$(scripts/programs)"
