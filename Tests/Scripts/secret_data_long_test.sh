#!/bin/sh
# With ten thousand items the calls of programs of the desktop cost what they cost with few.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/secret_data_test.py "$(scripts/programs)" ten_thousand_items
