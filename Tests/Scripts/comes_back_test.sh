#!/bin/sh
# Daemon, enclave and agent are killed, stopped and starved, and their files moved, while clients work: TIME seconds from SEED.
set -eu
cd "$(dirname "$0")/../.."
bin=$(${SWIFT:-swift} build --show-bin-path)
exec python3 Tests/Scripts/comes_back_test.py "$bin" --seconds "${TIME:-35}" --seed "${SEED:-1}"
