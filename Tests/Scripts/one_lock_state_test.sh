#!/bin/sh
# A program that has the keychain inside is as locked as the keychain that the command sees.
set -eu
cd "$(dirname "$0")/../.."
exec python3 Tests/Scripts/one_lock_state_test.py "$(scripts/programs)"
