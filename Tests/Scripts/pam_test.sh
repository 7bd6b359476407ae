#!/bin/sh
# pam_keychain against the real daemon, through pam_wrapper and pamtester: logins, locked screens, new passwords.
set -eu
cd "$(dirname "$0")/../.."
bin=$(scripts/programs)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# A machine may be slow; a daemon that never answers is met with the limit that is installed.
CPPFLAGS=-DKEYCHAIN_PAM_TIMEOUT=120000 scripts/build-pam "$folder"
scripts/build-pam "$folder/installed"
compiler=${CC:-cc}
"$compiler" -Wall -Wextra -Werror -fPIC -shared -Wl,-z,now -o "$folder/pam_giver.so" Tests/Scripts/pam/giver.c -lpam
"$compiler" -Wall -Wextra -Werror -Wl,-z,now -o "$folder/searcher" Tests/Scripts/pam/searcher.c -lpam
python3 Tests/Scripts/pam_test.py "$bin" "$folder"
