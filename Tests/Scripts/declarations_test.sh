#!/bin/sh
# Every shape of declaration that real programs need, compiled as they are: in Swift 5 and Swift 6 mode, with warnings as
# errors, against an installed SDK; then run over an empty keychain.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
sh Tests/Scripts/trial_sdk.sh "$work/prefix"
swiftc=${SWIFT:-swift}c
sdk=$work/prefix/lib

run() {
    name=$1
    shift
    "$swiftc" -warnings-as-errors -I "$sdk/swift-keychain/sdk" -L "$sdk" -Xlinker -rpath -Xlinker "$sdk" -o "$work/$name" "$@" \
        Tests/Programs/declaration-shapes/*.swift
    echo "$name: $(KEYCHAIN_MODE=embedded KEYCHAIN_HOME="$work/home-$name" KEYCHAIN_INTERACTION=never "$work/$name")"
}

run swift5 -swift-version 5
run swift5-strict -swift-version 5 -strict-concurrency=complete -enable-upcoming-feature MemberImportVisibility -O
run swift6 -swift-version 6 -enable-upcoming-feature MemberImportVisibility
