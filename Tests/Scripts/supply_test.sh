#!/bin/sh
# The programs are hardened, load what docs/dependencies.md says and nothing else, and the bill of materials says so too. KEYCHAIN_BUILT
# names a folder with installed programs in place of those at hand, which are not linked with all options.
set -eu
cd "$(dirname "$0")/../.."
[ -z "${KEYCHAIN_BUILT:-}" ] || exec python3 Tests/Scripts/supply_test.py "$KEYCHAIN_BUILT"
built=$(scripts/programs)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for program in security keychaind keychain-enclaved keychain-agent keychain-session-agent keychain-secrets keychain-carrier keychain-codesign keychain-file keychain-pki keychain-sync-server; do cp "$built/$program" "$work/"; done
scripts/build-pam "$work"
python3 Tests/Scripts/supply_test.py "$work" --trial
