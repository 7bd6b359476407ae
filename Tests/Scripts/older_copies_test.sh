#!/bin/sh
# Older vaults and stores put back, under a daemon that runs and at rest, with a TPM and without: noticed, refused or reported.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/older_copies_test.py "$(scripts/programs)"
