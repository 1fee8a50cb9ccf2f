# The rest of a build under sanitizers: files compiled in groups, and the fuzzer, where the library is for it.
# Most of the compiler's time goes into templates that every file instantiates anew; a group does it once.
set(STALLSCOPE_GROUP_SIZE 24 CACHE STRING "Files compiled as one in a build under sanitizers; 1: each alone")
function(compile_in_groups target)
  if(STALLSCOPE_GROUP_SIZE LESS 2)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  list(FILTER sources INCLUDE REGEX "^${CMAKE_SOURCE_DIR}/.*\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "^${CMAKE_BINARY_DIR}/")
  execute_process(COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_SOURCE_DIR}/cmake/unity_groups.py
      ${STALLSCOPE_GROUP_SIZE} ${sources}
    OUTPUT_VARIABLE lines COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[0-9]+;[^\n]+" lines "${lines}")
  while(lines)
    list(POP_FRONT lines group file)
    set_source_files_properties(${file} PROPERTIES UNITY_GROUP group${group})
  endwhile()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
# Resampling and fitting is where the tests spend their time; these few files are worth an optimiser that inlines (else
# the linker may take another file's unoptimised copy of a template), and so stay alone.
file(GLOB busy ${CMAKE_SOURCE_DIR}/stallscope/stats/*.cpp)
list(FILTER busy EXCLUDE REGEX "_test\\.cpp$")
list(APPEND busy ${CMAKE_SOURCE_DIR}/stallscope/law/fit.cpp ${CMAKE_SOURCE_DIR}/stallscope/input/resize.cpp
  ${CMAKE_SOURCE_DIR}/stallscope/predict/compute_fit.cpp ${CMAKE_SOURCE_DIR}/stallscope/predict/compute_model.cpp)
set_source_files_properties(${busy} PROPERTIES COMPILE_OPTIONS -O2)
# Libraries in C say nothing of their functions' types, and so does what stands in for one.
set_source_files_properties(${CMAKE_SOURCE_DIR}/tests/fakes/fake_nvml.cpp PROPERTIES COMPILE_OPTIONS -fno-sanitize=function)
compile_in_groups(stallscope_core)
compile_in_groups(fast_tests)

if(STALLSCOPE_SANITIZE MATCHES "fuzzer")
  list(FILTER fuzz_targets EXCLUDE REGEX "_test\\.cpp$")
  add_executable(stallscope_fuzz ${fuzz_targets} ${CMAKE_SOURCE_DIR}/app/commands/emulate.cpp
    ${CMAKE_SOURCE_DIR}/tests/fuzz/fuzz_main.cpp)
  target_link_libraries(stallscope_fuzz PRIVATE stallscope_core)
  target_link_options(stallscope_fuzz PRIVATE -fsanitize=fuzzer)
  # Those of fast_tests are in their groups already.
  set_target_properties(stallscope_fuzz PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endif()
