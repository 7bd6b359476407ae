#!/bin/sh
# pam_keychain in the stacks of a machine: real sudo, su, login and sshd, and libpam in a screen locker's order.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
if [ "$(id -u)" -ne 0 ]; then echo "$name: skipped, it takes root"; exit 0; fi
if ! unshare --mount true 2>/dev/null; then echo "$name: skipped, no namespaces here"; exit 0; fi
bin=$(scripts/programs)
# Where every user may look.
folder=$(mktemp -d /var/lib/keychain-pam-XXXXXX)
trap 'rm -rf "$folder"' EXIT
chmod 755 "$folder"
scripts/build-pam "$folder"
compiler=${CC:-cc}
"$compiler" -Wall -Wextra -Werror -Wl,-z,now -o "$folder/orders" Tests/Scripts/pam/orders.c -lpam
"$compiler" -Wall -Wextra -Werror -fPIC -shared -o "$folder/watcher.so" Tests/Scripts/pam/watcher.c
cp -r .build/openssh "$folder/openssh"
python3 Tests/Scripts/pam_login_test.py "$bin" "$folder" "$folder"
