#!/bin/sh
# A machine's disk is copied, or put back: the copy that writes second stops, and loses nothing when it joins again.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_clone_test.py "$(scripts/programs)"
