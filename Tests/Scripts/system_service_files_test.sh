#!/bin/sh
# A program holds protected files open while the system service locks, ends and comes back, without and with a TPM.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
bin=$(scripts/programs)
python=$(scripts/test-venv)
"$python" Tests/Scripts/system_service_files_test.py "$bin"
"$python" Tests/Scripts/system_service_files_test.py "$bin" tpm
