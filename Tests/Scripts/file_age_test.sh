#!/bin/sh
# Protected files become files of age and come back, by the user's own age; what is not whole never looks whole.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
exec python3 Tests/Scripts/file_age_test.py "$bin"
