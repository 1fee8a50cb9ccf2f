#!/usr/bin/env bash
# Installs what is missing, builds and runs all tests. Arguments go to ctest (-L fast, -R NAME).
set -euo pipefail
cd "$(dirname "$0")"

scripts/install-packages.sh scripts/packages-build.txt scripts/packages-test.txt
echo "building (the first time takes some minutes)" >&2
scripts/build.sh
# Tests that measure are alone (RUN_SERIAL in cmake/Tests.cmake); the others share the cores.
ctest --test-dir build --parallel "$(nproc)" --output-on-failure --no-tests=error "$@"
