#!/bin/sh
# kill -9 of daemon and embedded writers, 200 times at new moments: no acknowledged item is lost, none is half-written.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec python3 Tests/Scripts/kill_test.py "$bin" "${KILLS:-200}"
