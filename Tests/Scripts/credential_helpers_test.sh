#!/bin/sh
# git itself fills, approves and rejects logins through the helper; docker's protocol is spoken as docker speaks it.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/credential_helpers_test.py "$(scripts/programs)"
