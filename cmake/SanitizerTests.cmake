# fast_tests again, built by clang with sanitizers into folders of their own (scripts/sanitize.sh), and half a minute
# of fuzzing for every target of tests/fuzz, as many at once as there are cores. Label sanitizers.
# The builds take what is left of the cores while others wait for time-outs; the tests are about time, and run alone.
foreach(preset asan tsan)
  add_test(NAME sanitizers.${preset}_build COMMAND nice -n 19 ${CMAKE_SOURCE_DIR}/scripts/sanitize.sh ${preset} build)
  add_test(NAME sanitizers.${preset} COMMAND ${CMAKE_SOURCE_DIR}/scripts/sanitize.sh ${preset} run)
  set_tests_properties(sanitizers.${preset}_build PROPERTIES
    FIXTURES_SETUP ${preset} RESOURCE_LOCK sanitizer_build COST 90 TIMEOUT 3600)
  set_tests_properties(sanitizers.${preset} PROPERTIES FIXTURES_REQUIRED ${preset} RUN_SERIAL TRUE TIMEOUT 1800)
endforeach()
add_test(NAME sanitizers.fuzz COMMAND ${CMAKE_SOURCE_DIR}/tests/fuzz/run.sh all --time 30s --seed 1)
set_tests_properties(sanitizers.fuzz PROPERTIES FIXTURES_REQUIRED asan RUN_SERIAL TRUE TIMEOUT 1800)
set_tests_properties(sanitizers.asan_build sanitizers.tsan_build sanitizers.asan sanitizers.tsan sanitizers.fuzz PROPERTIES
  LABELS sanitizers SKIP_RETURN_CODE 77)
