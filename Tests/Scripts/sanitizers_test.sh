#!/bin/sh
# The Swift tests hold with the address sanitizer and with the thread sanitizer, each in a build of its own.
set -eu
cd "$(dirname "$0")/../.."
scripts/sanitize address
scripts/sanitize thread
