#!/bin/sh
# libSecurity.so for C: what the headers declare is there and nothing else; C, C++ and Python programs use it, and leak nothing.
# UPDATE_SYMBOLS=1 writes the list of symbols anew, after a change of the headers.
set -eu
cd "$(dirname "$0")/../.."
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT
sh Tests/Scripts/trial_sdk.sh "$prefix"
parts=$(KEYCHAIN_SDK=1 ${SWIFT:-swift} build --scratch-path .build/sdk-parts --show-bin-path)
daemons=$(scripts/programs)
python3 Tests/Scripts/c_abi_test.py "$prefix" "$parts/SecurityABI.build/include/SecurityABI-Swift.h" "$daemons"
