#!/bin/sh
# Identities and certificates go from NSS, the library of Firefox and Thunderbird, into the keychain, and back.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
for tool in certutil pk12util; do
    if ! command -v $tool >/dev/null; then echo "$name: skipped, $tool is not installed"; exit 0; fi
done
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/nss_test.py "$bin"
