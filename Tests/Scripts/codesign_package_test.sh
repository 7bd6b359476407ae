#!/bin/sh
# One line signs what SwiftPM has built; the page about signing has it.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/codesign_package_test.py "$bin"
