#!/bin/sh
# A machine is lost with its TPM: the backup and the recovery code on paper give the items back on another one.
set -eu
cd "$(dirname "$0")/../.."
exec python3 -B Tests/Scripts/lost_machine_test.py "$(scripts/programs)"
