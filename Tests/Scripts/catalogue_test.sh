#!/bin/sh
# The catalogue of texts against the sources.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
exec python3 Tests/Scripts/catalogue_test.py . "$($swift build --show-bin-path)/security"
