#!/bin/sh
# Many damaged files, with another seed each time.
set -eu
cd "$(dirname "$0")/../.."
exec "$(scripts/test-venv)" Tests/Scripts/pki_test.py "$(scripts/programs)" --long mutations
