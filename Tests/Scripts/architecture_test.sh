#!/bin/sh
# The parts that can be built for aarch64 without a standard library of Swift's for it: those in C, without a warning,
# and the headers. The PAM module's code runs under emulation and speaks with a daemon of this machine.
set -eu
cd "$(dirname "$0")/../.."
name=$(basename "$0" .sh)
compiler=aarch64-linux-gnu-gcc
emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
if ! command -v $compiler >/dev/null || [ -z "$emulator" ]; then
    echo "$name: skipped, it takes gcc-aarch64-linux-gnu, libc6-dev-arm64-cross and qemu-user-static"
    exit 0
fi
bin=$(scripts/programs)
toolchain=$(swiftc -print-target-info | sed -n 's|^ *"runtimeResourcePath": "\(.*\)/lib/swift".*|\1|p')
work=$(mktemp -d)
daemon=
finish() {
    [ -z "$daemon" ] || kill "$daemon" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT
# PAM's headers are those of every architecture; the others there are not.
mkdir "$work/headers"
cp -R /usr/include/security "$work/headers/"

libraries=Sources/CLibraries
compile() { # OPTION... SOURCE
    $compiler -std=gnu11 -O2 -fPIC -Wall -Wextra -Werror -isystem "$toolchain/lib/swift" -isystem "$work/headers" \
        -o "$work/part.o" -c "$@"
}
for source in "$libraries"/CLinux/*.c; do compile -D_GNU_SOURCE -I$libraries/CLinux/include "$source"; done
for source in "$libraries"/CSecurity/*.c; do
    compile -D__LITTLE_ENDIAN__=1 -I$libraries/CSecurity/include -I$libraries/CSecurity/headers "$source"
done
for source in Sources/Bridges/pam_keychain/*.c; do compile "$source"; done
echo "ok      the parts in C are compiled for aarch64 without a warning"

bridge=Sources/Bridges/pam_keychain
$compiler -std=gnu11 -Wall -Wextra -Werror -static -isystem "$work/headers" -I$bridge -o "$work/unlock" \
    Tests/Scripts/architecture/unlock.c $bridge/wire.c $bridge/secret.c
KEYCHAIN_HOME=$work/home KEYCHAIN_TPM=none
export KEYCHAIN_HOME KEYCHAIN_TPM
mkdir -m 700 "$KEYCHAIN_HOME"
mkfifo "$work/ready"
"$bin/keychaind" --ready-fd 3 3>"$work/ready" 2>"$work/log" &
daemon=$!
[ "$(head -c 1 "$work/ready" | wc -c)" -eq 1 ]
printf 'emulated\n' | "$bin/security" set-keychain-password
"$bin/security" lock-keychain
said="$("$emulator" "$work/unlock" "$KEYCHAIN_HOME/keychaind.sock" wrong)"
said="$said $("$emulator" "$work/unlock" "$KEYCHAIN_HOME/keychaind.sock" emulated)"
state=$("$bin/security" status | sed -n 's/^lock state: *//p')
if [ "$said $state" != "refused done unlocked" ]; then
    echo "FAILED  an aarch64 program unlocks the keychain of a daemon: $said $state"
    exit 1
fi
echo "ok      an aarch64 program unlocks the keychain of a daemon, with the right password alone"
