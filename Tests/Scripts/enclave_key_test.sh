#!/bin/sh
# The private halves of enclave keys are in no memory but the enclave's, and in no file.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec "$(scripts/test-venv)" Tests/Scripts/enclave_key_test.py "$bin"
