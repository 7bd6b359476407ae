#!/bin/sh
# The viewer hides its value, loses no form and gives the terminal back when a daemon stops or a signal comes.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/browse_faults_test.py "$(scripts/programs)"
