#!/bin/sh
# The ways in for Swift, each from an empty folder, with an SDK that is installed as users have it:
# docs/guides/swift.md.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh Tests/Scripts/trial_sdk.sh "$work/prefix"
${SWIFT:-swift} build --quiet --product security
python3 Tests/Scripts/sdk_test.py "$work" "$(scripts/programs)/security"
