#!/usr/bin/env bash
# Installs what is missing, builds and runs all tests. Arguments go to ctest (-L fast, -R NAME).
set -euo pipefail
cd "$(dirname "$0")"

scripts/install-packages.sh scripts/packages-build.txt scripts/packages-test.txt
echo "building (the first time takes some minutes)" >&2
scripts/build.sh
# Two at a time, where cmake/Tests.cmake does not say that a test needs more.
ctest --test-dir build -j2 --output-on-failure --no-tests=error "$@"
