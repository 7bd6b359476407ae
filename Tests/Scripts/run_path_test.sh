#!/bin/sh
# scripts/run-path gives a folder only where root alone can put libraries, and the folder it gives is found without links.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
work=$(mktemp -d /var/lib/keychain-run-path-XXXXXX)
trap 'rm -rf "$work"' EXIT
chmod 755 "$work"
mkdir -p "$work/a/b"
chmod 755 "$work/a" "$work/a/b"

gives() { # FOLDER EXPECTED WHAT
    [ "$(scripts/run-path "$1")" = "$2" ] || { echo "$name: $3"; exit 1; }
}

gives "$work/a/b" "$work/a/b" "root's own folder is not given"
ln -s "$work/a/b" "$work/link"
gives "$work/link" "$work/a/b" "a link is not followed"
gives "$work/missing" "" "a folder that is not there is given"
chown 1000 "$work/a"
gives "$work/a/b" "" "a folder below somebody else's is given"
gives "$work/link" "" "a link to a folder below somebody else's is given"
chown 0 "$work/a"
for mode in 775 757 777 1777 2775; do
    chmod $mode "$work/a"
    gives "$work/a/b" "" "a folder below one that others may write ($mode) is given"
done
chmod 755 "$work/a"
chown 1000 "$work/a/b"
gives "$work/a/b" "" "somebody else's folder is given"
echo "$name: only folders that root alone writes"
