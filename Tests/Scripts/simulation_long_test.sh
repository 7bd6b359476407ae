#!/bin/sh
# The simulation of merging takes a million steps with new seeds, and every rule of merging has a mutant that is found.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/simulation_long_test.py "$(scripts/programs)" "${STEPS:-1000000}"
