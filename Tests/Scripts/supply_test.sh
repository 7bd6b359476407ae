#!/bin/sh
# The programs are hardened, load what docs/dependencies.md says and nothing else, and the bill of materials says so too.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
built=$($swift build --show-bin-path)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in security keychaind keychain-enclaved keychain-agent keychain-codesign; do cp "$built/$program" "$work/"; done
scripts/build-pam "$work"
python3 Tests/Scripts/supply_test.py "$work"
