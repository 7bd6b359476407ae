#!/bin/sh
# Processes of a keychain are killed and stopped, its socket and its files taken away, once each, beside clients that work: all are served again.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec python3 Tests/Scripts/comes_back_test.py "$bin" --each --seed 1 \
    --only kill,stop,lostsocket,lostruntime,movedstore,killedhelper
