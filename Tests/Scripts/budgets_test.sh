#!/bin/sh
# No operation allocates, asks or sends more than its budget says (Benchmarks/budgets.json).
set -eu
cd "$(dirname "$0")/../.."
swift=${SWIFT:-swift}
# Budgets are those of the optimised code.
$swift build --quiet --configuration release --product keychain-counts
exec "$($swift build --configuration release --show-bin-path)/keychain-counts" --check Benchmarks/budgets.json
