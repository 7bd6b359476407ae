#!/bin/sh
# A protected file that the library made is read by a reader that knows only the page, and the other way; both refuse the
# same files.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/file_format_test.py "$bin"
