#!/bin/sh
# Names, layers, sizes and language are no worse than Tests/Tidy/ceilings.json says.
set -eu
cd "$(dirname "$0")/../.."
[ -d .build/debug/index/store ] || { echo "there is no index: build with swift build --build-tests first" >&2; exit 1; }
python3 Tests/Tidy/tidy_check.py
exec python3 Tests/Tidy/tidy.py
