#!/bin/sh
# Packages with the product in one build: usage: neighbours_test.sh [whole]
# Without an argument a debug build with SwiftPM's own build system, in a folder that is kept between runs; the whole
# form begins with empty folders, and has both build systems, debug and release.
set -eu
cd "$(dirname "$0")/../.."
work=.build/neighbours
[ "${1:-}" != whole ] || rm -rf "$work"
mkdir -p "$work"
python3 Tests/Scripts/neighbours_test.py "$(cd "$work" && pwd)" "$@"
