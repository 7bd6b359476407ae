#!/bin/sh
# Prompts for programs of the desktop: what they open and name, where they appear, and when they end.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 -B Tests/Scripts/desktop_prompts_test.py "$(scripts/programs)"
