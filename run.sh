#!/usr/bin/env bash
# From a fresh Debian 12 machine to a first profile: installs what is missing, builds, measures where the
# default network waits on this machine. Arguments go to `stallscope profile`.
set -euo pipefail
cd "$(dirname "$0")"

scripts/install-packages.sh scripts/packages-build.txt
echo "building (the first time takes some minutes)" >&2
scripts/build.sh

out=stallscope-$(date +%Y%m%d-%H%M%S)
build/stallscope profile --model resnet18 --image-size 64 --batch 8 --max-time 2m --out "$out" "$@"
echo
echo "The profile is in $out/profile.json, every step in $out/steps.csv."
