#!/bin/sh
# Executables signed by the product are verified by a reader that knows only docs/formats/signature.md, and by openssl.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/codesign_test.py "$bin"
