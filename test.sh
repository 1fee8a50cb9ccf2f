#!/usr/bin/env bash
# Installs what is missing, builds and runs all tests. Arguments go to ctest (-L fast, -R NAME).
set -euo pipefail
cd "$(dirname "$0")"

scripts/install-packages.sh scripts/packages-build.txt scripts/packages-test.txt
echo "building (the first time takes some minutes)" >&2
scripts/build.sh
# One at a time: tests that train would take each other's cores.
ctest --test-dir build --output-on-failure --no-tests=error "$@"
