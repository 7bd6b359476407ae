#!/bin/sh
# The recipes of CONTRIBUTING for a query key, an access-control flag and an algorithm, carried out on a copy.
set -eu
exec python3 "$(dirname "$0")/recipes_test.py"
