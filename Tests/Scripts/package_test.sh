#!/bin/sh
# Builds the packages from the programs at hand, installs, removes, reinstalls and purges them.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! command -v dpkg-buildpackage >/dev/null || ! command -v dh >/dev/null; then
    echo "$name: skipped, this system builds no Debian packages"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no mount namespaces here"; exit 0; fi

debs=${KEYCHAIN_DEBS:-}
if [ -z "$debs" ]; then
    built=$(scripts/programs)
    mkdir "$work/built"
    for program in security keychaind keychain-enclaved keychain-agent keychain-session-agent keychain-secrets keychain-carrier keychain-codesign keychain-file \
        keychain-pki keychain-sync-server; do
        cp "$built/$program" "$work/built/"
    done
    scripts/build-pam "$work/built"
    debs=$work/debs
    # The library that other tests are made with, too.
    CONFIGURATION=debug scripts/build-sdk .build/sdk-trial >/dev/null
    KEYCHAIN_TRIAL=1 KEYCHAIN_BUILT="$work/built" KEYCHAIN_SDK_BUILT="$PWD/.build/sdk-trial" \
        scripts/build-deb "$debs" >/dev/null
fi
mkdir "$work/mount"
unshare --mount python3 Tests/Scripts/package_test.py "$work/mount" "$debs"/*.deb
