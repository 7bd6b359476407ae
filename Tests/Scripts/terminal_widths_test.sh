#!/bin/sh
# The table of character widths is what the C library and a real terminal have.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/terminal_widths_test.py "$@"
