# fast_tests again, built by clang with sanitizers into folders of their own (scripts/sanitize.sh), and half a minute
# of fuzzing for every target of tests/fuzz, as many at once as there are cores. Label sanitizers.
add_test(NAME sanitizers.asan COMMAND ${CMAKE_SOURCE_DIR}/scripts/sanitize.sh asan)
add_test(NAME sanitizers.tsan COMMAND ${CMAKE_SOURCE_DIR}/scripts/sanitize.sh tsan)
add_test(NAME sanitizers.fuzz COMMAND ${CMAKE_SOURCE_DIR}/tests/fuzz/run.sh all --time 30s --seed 1)
set_tests_properties(sanitizers.asan PROPERTIES FIXTURES_SETUP fuzzer)
set_tests_properties(sanitizers.fuzz PROPERTIES FIXTURES_REQUIRED fuzzer)
set_tests_properties(sanitizers.asan sanitizers.tsan sanitizers.fuzz PROPERTIES
  LABELS sanitizers SKIP_RETURN_CODE 77 RUN_SERIAL TRUE TIMEOUT 3000)
