# The rest of a build under sanitizers: the fuzzer, where the library was compiled for it.
if(STALLSCOPE_SANITIZE MATCHES "fuzzer")
  list(FILTER fuzz_targets EXCLUDE REGEX "_test\\.cpp$")
  add_executable(stallscope_fuzz ${fuzz_targets} ${CMAKE_SOURCE_DIR}/app/commands/emulate.cpp
    ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_main.cpp)
  target_link_libraries(stallscope_fuzz PRIVATE stallscope_core)
  target_link_options(stallscope_fuzz PRIVATE -fsanitize=fuzzer)
endif()
