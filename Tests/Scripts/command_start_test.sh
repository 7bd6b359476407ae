#!/bin/sh
# The command uses nothing of the runtime for tasks. It would come with libdispatch, which a static program starts before main.
set -eu
cd "$(dirname "$0")/../.."
command=$(scripts/programs)/security
[ -x "$command" ] || { echo "command_start_test: $command is not built"; exit 1; }
used=$(nm --dynamic --undefined-only "$command" | grep -E ' (swift_(task|job|continuation)_|dispatch_)|\$sSc' || true)
[ -z "$used" ] || { echo "command_start_test: security uses$used"; exit 1; }
