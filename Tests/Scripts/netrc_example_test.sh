#!/bin/sh
# The example that hands SwiftPM the logins of the keychain: what swift is given, that swift takes it, and that nothing stays.
set -eu
cd "$(dirname "$0")/../.."
programs=$(scripts/programs)
example=$PWD/Examples/swiftpm-netrc/swift-with-keychain
folder=$(mktemp -d)
cleanup() {
    for process in $(pgrep -f -- "--store $folder/keychain" || true); do
        kill "$process" 2> /dev/null || true
        timeout 10 tail --pid="$process" -f /dev/null || true
    done
    rm -rf "$folder"
}
trap cleanup EXIT
export KEYCHAIN_HOME="$folder/keychain" KEYCHAIN_TPM=none XDG_RUNTIME_DIR="$folder/run" PATH="$programs:$PATH"
mkdir -m 700 "$XDG_RUNTIME_DIR"

printf 't0ken' | security add-internet-password -s packages.example.com -a ci -w
printf 'a b' | security add-internet-password -s blank.example.com -a ci -w

# A swift that shows what it was given.
cat > "$folder/swift" << 'FAKE'
#!/bin/sh
echo "$1 $2 $4"
stat -c %a "$3"
cat "$3"
FAKE
chmod +x "$folder/swift"
shown=$(SWIFT="$folder/swift" "$example" packages.example.com -- build --quiet)
expected="build --netrc-file --quiet
600
machine packages.example.com login ci password t0ken"
[ "$shown" = "$expected" ] || { echo "swift was given: $shown" >&2; exit 1; }

# Logins that a netrc file cannot hold, and hosts without one, are refused before swift is run.
for host in blank.example.com unknown.example.com; do
    if SWIFT="$folder/swift" "$example" "$host" -- build > "$folder/out" 2>&1; then exit 1; fi
    if grep -q machine "$folder/out"; then exit 1; fi
done

# The real one reads it.
mkdir -p "$folder/package/Sources/App"
printf '// swift-tools-version: 6.0\nimport PackageDescription\nlet package = Package(name: "App", targets: [.target(name: "App")])\n' \
    > "$folder/package/Package.swift"
echo 'let a = 1' > "$folder/package/Sources/App/a.swift"
(cd "$folder/package" && "$example" packages.example.com -- package describe > /dev/null)

[ -z "$(ls "$XDG_RUNTIME_DIR" | grep netrc || true)" ] || { echo "a netrc file was left behind" >&2; exit 1; }
echo "SwiftPM gets its logins from the keychain"
