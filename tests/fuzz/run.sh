#!/usr/bin/env bash
# Feeds a parser with bytes that nobody expects: tests/fuzz/run.sh TARGET|all [--time 10m] [--seed N]
# all: every target for that time, as many at once as there are cores.
# What ends it is kept in tests/fuzz/findings; once mended, move it to tests/fuzz/regressions/TARGET.
# scripts/sanitize.sh asan builds the fuzzer.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
fuzzer=$here/../../build-asan/stallscope_fuzz
target=${1:-all} time=10m seed=0
shift || true
while [ $# -gt 0 ]; do
  case $1 in
    --time) time=${2:-} ;;
    --seed) seed=${2:-} ;;
    *) echo "error: '$1' is not understood" >&2; echo "  try: $0 TARGET|all [--time 10m] [--seed N]" >&2; exit 2 ;;
  esac
  shift 2
done
if [[ ! $time =~ ^[0-9]+[sm]?$ || ! $seed =~ ^[0-9]+$ ]]; then
  echo "error: --time takes seconds or minutes (30s, 10m) and --seed a number" >&2
  exit 2
fi
case $time in
  *m) seconds=$((${time%m} * 60)) ;;
  *) seconds=${time%s} ;;
esac
if [ ! -x "$fuzzer" ]; then
  echo "skipped: there is no $fuzzer (scripts/sanitize.sh asan builds it)"
  exit 77
fi
if [ "$target" != all ] && [ ! -d "$here/corpus/$target" ]; then
  echo "error: there is no target '$target'" >&2
  echo "  try: one of all $(cd "$here/corpus" && echo *)" >&2
  exit 2
fi

if [ "$target" = all ]; then
  for folder in "$here"/corpus/*/; do basename "$folder"; done |
    xargs -P "$(nproc)" -I NAME "$here/run.sh" NAME --time "$time" --seed "$seed"
  exit
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/new" "$scratch/files"
mkdir -p "$here/findings"
seeds=("$here/corpus/$target")
[ -d "$here/regressions/$target" ] && seeds+=("$here/regressions/$target")
# Parsers that open files have theirs in memory, where there is some.
memory=$scratch/files
if [ -w /dev/shm ]; then
  memory=$(mktemp -d /dev/shm/stallscope-fuzz.XXXXXX)
  trap 'rm -rf "$scratch" "$memory"' EXIT
fi
status=0
TMPDIR=$memory STALLSCOPE_FUZZ_TARGET=$target ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0 \
  "$fuzzer" "$scratch/new" "${seeds[@]}" \
  -max_total_time="$seconds" -seed="$seed" -timeout=15 -rss_limit_mb=2048 -max_len=65536 -print_final_stats=1 \
  -artifact_prefix="$here/findings/$target-" >"$scratch/log" 2>&1 || status=$?
if [ $status -ne 0 ]; then
  echo "== $target: ended with $status"
  cat "$scratch/log"
  exit $status
fi
# "cov" counts edges of the program, "ft" what libFuzzer tells apart: edges and how often they were taken.
awk -v target="$target" '
  function value(key,  i) { for (i = 1; i < NF; ++i) if ($i == key) return $(i + 1); return "?" }
  /INITED/ { seed_edges = value("cov:"); seed_features = value("ft:") }
  /DONE/ { edges = value("cov:"); features = value("ft:") }
  /stat::number_of_executed_units:/ { inputs = $2 }
  /stat::average_exec_per_sec:/ { rate = $2 }
  END { printf "%-13s %8d inputs, %6d a second; edges %5d, with the seeds %5d; features %6d, with the seeds %6d\n",
        target, inputs, rate, edges, seed_edges, features, seed_features }' "$scratch/log"
