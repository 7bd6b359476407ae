#!/bin/sh
# Installs an SDK from a build for work, which several tests share: usage: trial_sdk.sh PREFIX
set -eu
cd "$(dirname "$0")/../.."
CONFIGURATION=debug scripts/build-sdk .build/sdk-trial >/dev/null
PREFIX=$1 DESTDIR="" scripts/install-sdk .build/sdk-trial
