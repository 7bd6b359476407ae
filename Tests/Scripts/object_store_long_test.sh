#!/bin/sh
# A circle in a bucket of a real object store: Ceph's gateway over a cluster of one machine.
set -eu
cd "$(dirname "$0")/../.."
exec "$(scripts/test-venv)" -B Tests/Scripts/object_store_long_test.py
