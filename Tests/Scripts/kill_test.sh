#!/bin/sh
# kill -9 of daemon and embedded writers: no acknowledged item is lost, none is half-written.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
SEED=1 exec python3 Tests/Scripts/kill_test.py "$bin" 24
