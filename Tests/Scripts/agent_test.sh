#!/bin/sh
# keychain-agent with real parts: fprintd and a virtual reader, pinentry, terminals, PAM, and logind's interface.
set -eu
cd "$(dirname "$0")/../.."
# The system's own Python: dbusmock is no package of PyPI's index alone.
exec /usr/bin/python3 Tests/Scripts/agent_test.py "$(${SWIFT:-swift} build --show-bin-path)/keychain-agent"
