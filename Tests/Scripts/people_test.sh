#!/bin/sh
# The verbs for people, with a real daemon and keychains of several names.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/people_test.py "$(scripts/programs)"
