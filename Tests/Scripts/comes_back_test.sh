#!/bin/sh
# Each fault of a keychain's processes and files once, beside clients that work: all are served again.
set -eu
cd "$(dirname "$0")/../.."
bin=$(${SWIFT:-swift} build --show-bin-path)
exec python3 Tests/Scripts/comes_back_test.py "$bin" --each --seed 1
