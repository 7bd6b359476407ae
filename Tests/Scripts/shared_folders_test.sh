#!/bin/sh
# What a user writes into a folder that others may write, nobody else gets: no secret goes where another user reads it.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
exec python3 Tests/Scripts/shared_folders_test.py "$(scripts/programs)"
