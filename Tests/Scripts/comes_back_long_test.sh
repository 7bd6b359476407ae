#!/bin/sh
# Daemon, enclave and agent are killed, stopped and starved, and their files moved, while clients work: TIME seconds from SEED or a new seed, which is printed.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec python3 Tests/Scripts/comes_back_test.py "$bin" --seconds "${TIME:-35}" ${SEED:+--seed "$SEED"}
