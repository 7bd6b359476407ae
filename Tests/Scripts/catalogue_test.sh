#!/bin/sh
# The catalogue of texts against the sources.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/catalogue_test.py . "$(scripts/programs)/security"
