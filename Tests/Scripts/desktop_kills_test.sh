#!/bin/sh
# kill -9 of bridge and daemon under thirty programs of the desktop: nothing acknowledged is lost, nothing stored is
# said to be missing.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/desktop_kills_test.py "$(scripts/programs)" "${KILLS:-6}"
