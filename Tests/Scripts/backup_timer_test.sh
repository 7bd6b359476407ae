#!/bin/sh
# The timer's unit makes a backup of what root has given, says why it cannot, and puts no secret into words or files.
set -eu
cd "$(dirname "$0")/../.."
exec python3 -B Tests/Scripts/backup_timer_test.py "$(scripts/programs)"
