#!/bin/sh
# keychain-agent with a real logind: Debian's elogind, unpacked and not installed, in namespaces of its own. It is root in there and
# nowhere else, so nothing it mounts or writes reaches the machine.
set -eu
cd "$(dirname "$0")/../.."
skip() {
    echo "  skipped: $1"
    exit 0
}
isolated() { timeout -k 1 10 unshare --user --map-root-user --mount --pid --fork --kill-child --mount-proc "$@"; }

isolated true 2>/dev/null || skip "no namespaces for users here"
command -v apt-get >/dev/null && command -v dpkg >/dev/null || skip "no Debian package of elogind here"
program="$(${SWIFT:-swift} build --show-bin-path)/keychain-agent"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
(cd "$folder" && timeout 5 apt-get -qq -o APT::Sandbox::User=root download elogind libelogind0 >/dev/null 2>&1) ||
    skip "elogind cannot be downloaded"
for package in "$folder"/*.deb; do dpkg -x "$package" "$folder"; done
libraries="$folder/lib/elogind:$(dirname "$(find "$folder" -name 'libelogind.so.0' | head -1)")"
! LD_LIBRARY_PATH="$libraries" ldd "$folder/lib/elogind/elogind" | grep -q 'not found' || skip "elogind misses a library"

host=$(readlink /proc/self/ns/mnt)
export ELOGIND="$folder/lib/elogind/elogind" ELOGIND_LIBRARIES="$libraries" HOST_NAMESPACE="$host"
# The system's own Python has the modules of D-Bus.
isolated /usr/bin/python3 Tests/Scripts/agent_logind_test.py "$program"
