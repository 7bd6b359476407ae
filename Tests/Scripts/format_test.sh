#!/bin/sh
# A store made by the product is read by a reader that knows only the documents; whatever is changed in it does not open.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/format_test.py "$bin"
