#!/usr/bin/env bash
# Feeds a parser with bytes that nobody expects: tests/fuzz/run.sh TARGET|all [--time 10m] [--seed N]
# What ends it is kept in tests/fuzz/findings; once mended, move it to tests/fuzz/regressions/TARGET.
# scripts/sanitize.sh asan builds the fuzzer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fuzzer=$here/../../build-asan/stallscope_fuzz
target=${1:-all} time=10m seed=0
shift || true
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=$2 ;;
    --seed) seed=$2 ;;
    *) echo "error: '$1' is not understood" >&2; echo "  try: $0 TARGET|all [--time 10m] [--seed N]" >&2; exit 2 ;;
  esac
  shift 2
done
case $time in
  *m) seconds=$((${time%m} * 60)) ;;
  *) seconds=${time%s} ;;
esac
if [ ! -x "$fuzzer" ]; then
  echo "skipped: there is no $fuzzer (scripts/sanitize.sh asan builds it)"
  exit 77
fi

fuzz() {
  local folder
  folder=$(mktemp -d)
  # Parsers that open files have theirs in memory.
  [ -w /dev/shm ] && export TMPDIR=/dev/shm
  mkdir -p "$here/findings"
  local seeds=("$here/corpus/$1")
  [ -d "$here/regressions/$1" ] && seeds+=("$here/regressions/$1")
  local status=0
  STALLSCOPE_FUZZ_TARGET=$1 ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 "$fuzzer" "$folder" "${seeds[@]}" \
    -max_total_time="$seconds" -seed="$seed" -timeout=15 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
    -artifact_prefix="$here/findings/$1-" -verbosity=0 || status=$?
  rm -r "$folder"
  return $status
}

if [ "$target" != all ]; then
  fuzz "$target"
  exit
fi
for folder in "$here"/corpus/*/; do
  echo "== $(basename "$folder")"
  fuzz "$(basename "$folder")"
done
