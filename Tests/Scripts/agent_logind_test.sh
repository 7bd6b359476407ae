#!/bin/sh
# keychain-agent with a real logind: Debian's elogind, unpacked by make deps and not installed, in namespaces of its own. It is
# root in there and nowhere else, so nothing it mounts or writes reaches the machine.
set -eu
cd "$(dirname "$0")/../.."
skip() {
    echo "  skipped: $1"
    exit 0
}
isolation="unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc"

timeout -k 1 60 $isolation true 2>/dev/null || skip "no namespaces for users here"
folder=$PWD/.build/elogind
[ -x "$folder/lib/elogind/elogind" ] || skip "elogind is not here; make deps fetches it where it can"
program="$(scripts/programs)/keychain-agent"
libraries="$folder/lib/elogind:$(dirname "$(find "$folder" -name 'libelogind.so.0' | head -1)")"
! LD_LIBRARY_PATH="$libraries" ldd "$folder/lib/elogind/elogind" | grep -q 'not found' || skip "elogind misses a library"

host=$(readlink /proc/self/ns/mnt)
export ELOGIND="$folder/lib/elogind/elogind" ELOGIND_LIBRARIES="$libraries" HOST_NAMESPACE="$host"
# The system's own Python has the modules of D-Bus.
timeout -k 5 600 $isolation /usr/bin/python3 Tests/Scripts/agent_logind_test.py "$program"
