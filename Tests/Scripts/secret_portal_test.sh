#!/bin/sh
# Applications in sandboxes get their master secrets through the portal.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the module of D-Bus.
exec /usr/bin/python3 -B Tests/Scripts/secret_portal_test.py "$(scripts/programs)"
