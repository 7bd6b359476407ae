#!/bin/sh
# A full disk: the writer is refused, nothing that was acknowledged is lost.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/full_disk_test.py "$(${SWIFT:-swift} build --show-bin-path)"
