#!/bin/sh
# The messages of a pairing that the enclave's tests read are read and made by a reader that knows only the page.
set -eu
cd "$(dirname "$0")/../.."
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/pairing_format_test.py
