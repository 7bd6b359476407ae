#!/bin/sh
# No item of a keychain is lost that nobody asked to delete: many steps, with a new seed each time.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if ! command -v strace >/dev/null; then echo "$name: skipped, strace is not installed"; exit 0; fi
bin=$(scripts/programs)
library=$(mktemp -d)
trap 'rm -rf "$library"' EXIT
cc -shared -fPIC -O1 -Wall -Wextra -o "$library/wall_clock.so" Tests/Machinery/wall_clock.c
python3 Tests/Scripts/keychain_random_test.py "$bin" "$library/wall_clock.so" 10000
