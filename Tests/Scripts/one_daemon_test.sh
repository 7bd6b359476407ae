#!/bin/sh
# A store has one daemon and one lock state, wherever that listens and however the store is spelt.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/one_daemon_test.py "$(scripts/programs)"
