#!/bin/sh
# A full disk under the daemon: a backup and a restore are refused, name what was done, and lose nothing.
set -eu
cd "$(dirname "$0")/../.."
disk=$(mktemp -d)
trap 'rmdir "$disk"' EXIT
python=$(scripts/test-venv)
# A small disk and processes of the test's own, which end with it.
unshare --map-root-user --mount --pid --fork --kill-child --mount-proc sh -c '
    mount -t tmpfs -o size=12m,mode=700 small "$3" && exec "$1" -B Tests/Scripts/backup_disk_test.py "$2" "$3"
' sh "$python" "$(scripts/programs)" "$disk"
