#!/bin/sh
# The sessions of Tests/Sessions in all places: every deployment, form and terminal.
set -eu
cd "$(dirname "$0")/../.."
exec sh Tests/Scripts/sessions_test.sh --long "$@"
