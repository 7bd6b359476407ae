#!/bin/sh
# A full disk: the writer is refused, deletions work, nothing that was acknowledged is lost.
set -eu
cd "$(dirname "$0")/../.."
disk=$(mktemp -d)
trap 'rmdir "$disk"' EXIT
# A small disk and processes of the test's own, which end with it.
KEYCHAIN_IDLE_EXIT=1 unshare --map-root-user --mount --pid --fork --kill-child --mount-proc sh -c '
    mount -t tmpfs -o size=12m,mode=700 small "$2" && exec python3 Tests/Scripts/full_disk_test.py "$1" "$2"
' sh "$(scripts/programs)" "$disk"
