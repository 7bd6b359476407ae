#!/bin/sh
# Batches and the parts of a snapshot that real daemons write are read by a reader that knows only the documents.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/sync_format_test.py "$(scripts/programs)"
