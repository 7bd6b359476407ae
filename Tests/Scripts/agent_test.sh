#!/bin/sh
# keychain-agent with real parts: pinentry, terminals, PAM.
set -eu
cd "$(dirname "$0")/../.."
exec /usr/bin/python3 Tests/Scripts/agent_test.py "$(scripts/programs)/keychain-agent"
