#!/bin/sh
# A full disk under a store that merges, and under a circle's folder: nothing is lost, and the status says why.
set -eu
cd "$(dirname "$0")/../.."
disks=$(mktemp -d)
mkdir "$disks/store" "$disks/place"
trap 'rmdir "$disks/store" "$disks/place" "$disks"' EXIT
python=$(scripts/test-venv)
# Small disks and processes of the test's own, which end with it. Its user is root no longer when they are there.
unshare --map-root-user --mount --pid --fork --kill-child --mount-proc sh -c '
    mount -t tmpfs -o size=12m,mode=700 small "$3/store" && mount -t tmpfs -o size=4m,mode=700 small "$3/place" &&
        exec unshare --map-user=1500 --map-group=1500 "$1" -B Tests/Scripts/sync_disk_test.py "$2" "$3"
' sh "$python" "$(scripts/programs)" "$disks"
