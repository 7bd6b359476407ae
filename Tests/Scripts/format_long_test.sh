#!/bin/sh
# A store that is brought up to date is killed at 40 moments: it is as it was, or as it is to be.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
python=$(scripts/test-venv)
KILLS="${KILLS:-40}" exec "$python" Tests/Scripts/format_test.py "$bin" \
    OlderStores.test_a_kill_at_any_moment_leaves_the_store_as_it_was_or_as_it_is_to_be
