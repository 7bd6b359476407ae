#!/bin/sh
# Prompts of the system service on a user's display: the installed session agent, copies of it, and those of others.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
python3 Tests/Scripts/session_agent_test.py "$(scripts/programs)"
