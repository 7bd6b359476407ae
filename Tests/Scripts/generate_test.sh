#!/bin/sh
# Sources that come out of tables are what the tables say.
set -eu
exec python3 "$(dirname "$0")/generate_test.py"
