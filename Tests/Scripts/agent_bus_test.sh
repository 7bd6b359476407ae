#!/bin/sh
# keychain-agent with fprintd, libfprint's virtual reader, and logind's interface.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python has the modules of D-Bus.
exec /usr/bin/python3 Tests/Scripts/agent_bus_test.py "$(scripts/programs)/keychain-agent"
