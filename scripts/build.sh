#!/usr/bin/env bash
# Configures and builds everything into build/, incrementally. Prints nothing when there is nothing to do.
set -euo pipefail
cd "$(dirname "$0")/.."

cmake --preset release >build.log 2>&1 || { cat build.log >&2; exit 1; }
rm -f build.log
# A rank file of the engine takes up to 2 GB of memory to compile.
jobs=$(nproc)
memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
[ "$memory_gb" -lt $((2 * jobs)) ] && jobs=$((memory_gb / 2 > 0 ? memory_gb / 2 : 1))
cmake --build build --parallel "$jobs" -- --quiet
