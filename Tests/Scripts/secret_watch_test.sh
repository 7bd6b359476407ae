#!/bin/sh
# Programs that watch the Secret Service: they live, see what others do, and hear no label.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the modules of D-Bus and of libsecret.
exec /usr/bin/python3 -B Tests/Scripts/secret_watch_test.py "$(scripts/programs)"
