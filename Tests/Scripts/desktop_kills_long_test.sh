#!/bin/sh
# The same with 300 kills at new moments.
set -eu
cd "$(dirname "$0")/../.."
KILLS=${KILLS:-300} exec Tests/Scripts/desktop_kills_test.sh
