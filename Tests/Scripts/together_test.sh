#!/bin/sh
# Several programs open one keychain at the same moment.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/together_test.py "$(scripts/programs)"
