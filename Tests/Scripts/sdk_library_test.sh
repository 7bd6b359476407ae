#!/bin/sh
# What programs get that are linked with the installed SDK: texts of interfaces, upgrades, Swift's runtime inside.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh Tests/Scripts/trial_sdk.sh "$work/prefix"
parts=$(KEYCHAIN_SDK=1 ${SWIFT:-swift} build --scratch-path .build/sdk-parts --show-bin-path)
python3 Tests/Scripts/sdk_library_test.py "$work" "$parts"
