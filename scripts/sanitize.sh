#!/usr/bin/env bash
# Builds the torch-free tests under sanitizers and runs them: scripts/sanitize.sh asan|tsan [build|run]
# asan: addresses, leaks and undefined behaviour, and the fuzzer of tests/fuzz; tsan: threads.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=${1:-} part=${2:-both}
case $preset/$part in
  asan/build | asan/run | asan/both) sanitizer=address targets=(fast_tests stallscope_fuzz) ;;
  tsan/build | tsan/run | tsan/both) sanitizer=thread targets=(fast_tests) ;;
  *) echo "error: '$*' is not understood" >&2; echo "  try: $0 asan|tsan [build|run]" >&2; exit 2 ;;
esac

if ! clang++ -fsanitize=$sanitizer -x c++ - -o /dev/null <<<'int main() {}' 2>/dev/null; then
  echo "skipped: clang++ -fsanitize=$sanitizer does not work here (Debian: clang libclang-rt-dev llvm)"
  exit 77
fi

build() {
  local page=$PWD/build/web/page/page.html
  local options=()
  [ -f "$page" ] && options+=("-DSTALLSCOPE_PAGE=$page")
  cmake --preset "$preset" "${options[@]}" >/dev/null
  local begin=$SECONDS
  if ! cmake --build "build-$preset" --parallel "$(nproc)" --target "${targets[@]}" -- --quiet; then
    echo "note: files are compiled in groups here; -DSTALLSCOPE_GROUP_SIZE=1 compiles each alone" >&2
    exit 1
  fi
  echo "built in $((SECONDS - begin)) s"
}

run() {
  # One process for many tests: a sanitizer takes longer to start than most tests take.
  export ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 UBSAN_OPTIONS=print_stacktrace=1
  export TSAN_OPTIONS=die_after_fork=0:halt_on_error=1
  export GTEST_TOTAL_SHARDS=$(nproc) GTEST_BRIEF=1
  # These sanitizers find no room for their shadow where the kernel scatters addresses widely.
  local unscattered=()
  setarch "$(uname -m)" -R true 2>/dev/null && unscattered=(setarch "$(uname -m)" -R)
  local begin=$SECONDS
  local shards=()
  local shard
  for ((shard = 0; shard < GTEST_TOTAL_SHARDS; ++shard)); do
    GTEST_SHARD_INDEX=$shard "${unscattered[@]}" "build-$preset/fast_tests" &
    shards+=($!)
  done
  local failed=0
  for shard in "${shards[@]}"; do wait "$shard" || failed=1; done
  echo "ran in $((SECONDS - begin)) s"
  return $failed
}

if [ "$part" != run ]; then build; fi
if [ "$part" != build ]; then run; fi
