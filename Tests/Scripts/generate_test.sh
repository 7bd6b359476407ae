#!/bin/sh
# Sources that come out of tables are what the tables say.
set -eu
python3 "$(dirname "$0")/../../scripts/generate-widths" --check
exec python3 "$(dirname "$0")/generate_test.py"
