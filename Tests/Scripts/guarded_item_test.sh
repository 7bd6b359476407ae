#!/bin/sh
# Items that take the user, with the real programs: whoever sits at the terminal is asked, and nobody else.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 Tests/Scripts/guarded_item_test.py "$(scripts/programs)"
