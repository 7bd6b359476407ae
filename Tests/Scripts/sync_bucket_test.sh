#!/bin/sh
# Two machines keep a keychain in common in a bucket: its certificate, its keys, a store that ignores conditions, and one
# that is away.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/sync_bucket_test.py "$(scripts/programs)"
