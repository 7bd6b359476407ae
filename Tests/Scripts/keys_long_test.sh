#!/bin/sh
# Large keys go both ways between the product, PyPI's cryptography and openssl.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
exec "$python" Tests/Scripts/keys_test.py "$bin/key-user" --long
