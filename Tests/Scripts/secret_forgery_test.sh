#!/bin/sh
# The Secret Service among clients that send answers and signals in the name of others.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/secret_forgery_test.py "$(scripts/programs)"
