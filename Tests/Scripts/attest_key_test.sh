#!/bin/sh
# A key in a TPM, from the program that made it to the verifier: security attest-key, then scripts/verify-attestation.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/attest_key_test.py "$(scripts/programs)"
