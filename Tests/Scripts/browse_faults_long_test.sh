#!/bin/sh
# The viewer beside stopped daemons and after signals, and what takes minutes: its view that locks itself.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/browse_faults_test.py "$(scripts/programs)" --long
