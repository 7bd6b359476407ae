#!/bin/sh
# The viewer on a real terminal multiplexer.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/browse_test.py "$(scripts/programs)"
