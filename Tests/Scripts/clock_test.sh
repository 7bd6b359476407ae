#!/bin/sh
# Clocks that are set, and clocks of a time namespace.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
library=$(mktemp -d)
trap 'rm -rf "$library"' EXIT
cc -shared -fPIC -O1 -Wall -Wextra -o "$library/wall_clock.so" Tests/Machinery/wall_clock.c
python3 Tests/Scripts/clock_test.py "$bin" "$library/wall_clock.so"
