#!/bin/sh
# The recipes of CONTRIBUTING for a query key, a flag, an algorithm, a command and an enclave call, carried out.
set -eu
exec python3 "$(dirname "$0")/recipes_test.py"
