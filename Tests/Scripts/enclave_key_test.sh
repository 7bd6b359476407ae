#!/bin/sh
# The private halves of enclave keys are in no memory but the enclave's, and in no file.
set -eu
cd "$(dirname "$0")/../.."
if [ "$(id -u)" -ne 0 ]; then echo "enclave_key_test: skipped, to look into the memory of hardened processes takes root"; exit 0; fi
bin=$(scripts/programs)
exec "$(scripts/test-venv)" Tests/Scripts/enclave_key_test.py "$bin"
