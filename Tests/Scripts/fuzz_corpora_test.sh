#!/bin/sh
# What fuzzing has found to reach other code than the rest, and what was once wrong, is tried again: without libFuzzer and
# sanitizers, by the same functions.
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
export SWIFT_BACKTRACE=enable=no
KEYCHAIN_FUZZ=1 $swift build --quiet --product keychain-corpus
exec "$(KEYCHAIN_FUZZ=1 $swift build --show-bin-path)/keychain-corpus" --play Tests/Fuzz/corpora
