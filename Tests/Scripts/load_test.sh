#!/bin/sh
# One program attacks in a few ways, and another one is not much slower than beside the same attack on another daemon.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Load/load.py "$(scripts/programs)" --short
