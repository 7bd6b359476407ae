#!/bin/sh
# Certificates and keys go into the keychain and out of it again, made and read by openssl and ssh-keygen.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if ! command -v openssl >/dev/null; then echo "$name: skipped, openssl is not installed"; exit 0; fi
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/pki_test.py "$bin"
