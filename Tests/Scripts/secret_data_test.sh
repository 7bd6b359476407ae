#!/bin/sh
# Items of the Secret Service are found, or the answer is an error: locked, damaged, moved, and with odd names.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the modules of D-Bus.
exec /usr/bin/python3 -B Tests/Scripts/secret_data_test.py "$(scripts/programs)"
