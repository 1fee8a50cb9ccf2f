#!/usr/bin/env bash
# Builds the torch-free tests under sanitizers and runs them: scripts/sanitize.sh asan|tsan
# asan: addresses and undefined behaviour, and the fuzzer of tests/fuzz; tsan: threads.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=$1

if ! command -v clang++ >/dev/null; then
  echo "skipped: there is no clang++ (Debian: clang libclang-rt-dev)"
  exit 77
fi
page=$PWD/build/web/page/page.html
cmake --preset "$preset" ${page:+$([ -f "$page" ] && echo "-DSTALLSCOPE_PAGE=$page")} >/dev/null
targets=(fast_tests)
[ "$preset" = asan ] && targets+=(stallscope_fuzz)
begin=$SECONDS
cmake --build "build-$preset" --parallel "$(nproc)" --target "${targets[@]}" -- --quiet
echo "built in $((SECONDS - begin)) s"

# One process for many tests: a sanitizer takes longer to start than most tests take.
export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
export TSAN_OPTIONS=die_after_fork=0:halt_on_error=1
export GTEST_TOTAL_SHARDS=$(nproc) GTEST_BRIEF=1
begin=$SECONDS
shards=()
for ((shard = 0; shard < GTEST_TOTAL_SHARDS; ++shard)); do
  GTEST_SHARD_INDEX=$shard "build-$preset/fast_tests" &
  shards+=($!)
done
failed=0
for shard in "${shards[@]}"; do wait "$shard" || failed=1; done
echo "ran in $((SECONDS - begin)) s"
exit $failed
