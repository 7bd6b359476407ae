#!/bin/sh
# What is installed is built the same in two places.
set -eu
cd "$(dirname "$0")/../.."
exec scripts/reproducible
