#!/bin/sh
# Every example of the manual pages is executed, with a real daemon; the pages are held against the rules of mdoc.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/manual_examples_test.py "$(scripts/programs)"
