# Every *_test.cpp beside the code belongs to one of three programs, by its name and room:
#   fast    seconds in all, no torch, no root
#   lab     *_lab_test.cpp: network namespaces and cgroups; they skip visibly without root
#   engine  stallscope/engine/torch: links torch
# tests/simgrid compares the cost formulas with SimGrid: label simgrid.
# Scripts tests/<label>/*_test.py drive the built commands.
find_package(GTest REQUIRED)
find_package(rapidcheck QUIET)
find_package(Python3 REQUIRED COMPONENTS Interpreter)
include(GoogleTest)

file(GLOB_RECURSE test_sources CONFIGURE_DEPENDS
  ${CMAKE_SOURCE_DIR}/stallscope/*_test.cpp ${CMAKE_SOURCE_DIR}/app/*_test.cpp)
set(fast_tests ${test_sources})
list(FILTER fast_tests EXCLUDE REGEX "_lab_test\\.cpp$|/engine/torch/")
set(lab_tests ${test_sources})
list(FILTER lab_tests INCLUDE REGEX "_lab_test\\.cpp$")
set(engine_tests ${test_sources})
list(FILTER engine_tests INCLUDE REGEX "/engine/torch/")

if(NOT rapidcheck_FOUND)
  # ./run.sh builds without the packages of the tests.
  list(FILTER fast_tests EXCLUDE REGEX "/properties_test\\.cpp$")
  add_test(NAME fast.properties
    COMMAND sh -c "echo 'skipped: RapidCheck was not there when this was configured (librapidcheck-dev)'; exit 77")
  set_tests_properties(fast.properties PROPERTIES LABELS fast SKIP_RETURN_CODE 77)
endif()
# What tests/fuzz feeds to parsers; its corpus and its regressions are replayed by fast_tests.
file(GLOB fuzz_targets CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/fuzz/*.cpp)
list(FILTER fuzz_targets EXCLUDE REGEX "/fuzz_main\\.cpp$")
list(APPEND fast_tests ${fuzz_targets} ${CMAKE_SOURCE_DIR}/app/commands/emulate.cpp)
if(fast_tests)
  add_executable(fast_tests ${fast_tests})
  target_link_libraries(fast_tests PRIVATE stallscope_core GTest::gtest_main GTest::gmock
    $<TARGET_NAME_IF_EXISTS:rapidcheck_gtest>)
  # The driver's library is loaded while running; here its stand-in is.
  add_library(fake_nvml MODULE ${CMAKE_SOURCE_DIR}/tests/fakes/fake_nvml.cpp)
  target_link_libraries(fake_nvml PRIVATE stallscope_options)
  add_dependencies(fast_tests fake_nvml)
  target_compile_definitions(fast_tests PRIVATE FAKE_NVML="$<TARGET_FILE:fake_nvml>")
  # A third of the compiler's time for tests, and none of the code that they test.
  target_compile_options(fast_tests PRIVATE -O0)
  gtest_discover_tests(fast_tests PROPERTIES LABELS fast)
endif()
if(lab_tests)
  add_executable(lab_tests ${lab_tests})
  target_link_libraries(lab_tests PRIVATE stallscope_core GTest::gtest_main GTest::gmock)
  # Labs share the machine's interfaces and cores: one at a time.
  gtest_discover_tests(lab_tests PROPERTIES LABELS lab RUN_SERIAL TRUE TIMEOUT 300)
endif()
if(STALLSCOPE_ENGINE AND engine_tests)
  add_executable(engine_tests ${engine_tests})
  target_link_libraries(engine_tests PRIVATE stallscope_torch GTest::gtest_main GTest::gmock)
  target_precompile_headers(engine_tests REUSE_FROM stallscope_torch)
  # One thread per rank, as the engine runs: those of OpenMP would spin while they wait for each other. So one rank
  # takes one core, two ranks two, and what holds gigabytes per rank has the memory for itself.
  function(discover_engine_tests filter cores)
    gtest_discover_tests(engine_tests TEST_FILTER ${filter} DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS engine TIMEOUT 900 ENVIRONMENT OMP_NUM_THREADS=1 PROCESSORS ${cores} ${ARGN})
  endfunction()
  set(one_rank Zoo/EveryNetwork.*:Zoo/Torchvision.*:NetworkModule.*:Torchscript.*)
  set(large *bert_large:*gpt2_medium)
  discover_engine_tests(${one_rank}-${large} 1)
  discover_engine_tests(*-${one_rank}:${large} 2)
  discover_engine_tests(Zoo/EveryNetwork.*bert_large:Zoo/EveryNetwork.*gpt2_medium 1 RESOURCE_LOCK memory)
  discover_engine_tests(Zoo/EveryNetworkOnTwoRanks.*bert_large:Zoo/EveryNetworkOnTwoRanks.*gpt2_medium 2 RESOURCE_LOCK memory)
endif()

if(STALLSCOPE_SANITIZE)
  include(Sanitized)
  return()
endif()
include(SanitizerTests)

find_path(SIMGRID_INCLUDE simgrid/s4u.hpp)
find_library(SIMGRID_LIB simgrid)
if(SIMGRID_INCLUDE AND SIMGRID_LIB)
  file(GLOB simgrid_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/simgrid/*.cpp)
  add_executable(simgrid_tests ${simgrid_tests})
  target_include_directories(simgrid_tests SYSTEM PRIVATE ${SIMGRID_INCLUDE})
  target_compile_definitions(simgrid_tests PRIVATE STALLSCOPE_SOURCE="${CMAKE_SOURCE_DIR}")
  target_link_libraries(simgrid_tests PRIVATE stallscope_core GTest::gtest_main ${SIMGRID_LIB})
  # One process for all: they share one simulation.
  add_test(NAME simgrid.collectives COMMAND simgrid_tests)
else()
  add_test(NAME simgrid.collectives
    COMMAND sh -c "echo 'skipped: SimGrid was not there when this was configured (libsimgrid-dev)'; exit 77")
endif()
set_tests_properties(simgrid.collectives PROPERTIES LABELS simgrid SKIP_RETURN_CODE 77 TIMEOUT 300)

# Debian's own interpreter: it is the one that has python3-torch.
set(STALLSCOPE_PYTHON /usr/bin/python3 CACHE FILEPATH "The interpreter of the script tests")
# Scripts have the machine for themselves: what they measure is compared with what it should be. Two kinds need not:
# those that measure nothing, and those that start ranks but only ask what is said, kept and left behind. Of the latter
# one at a time, first of all, so that the others pass the time while it waits.
set(measures_nothing "^house\\.|^browser\\.(choice|law|page|pictures)_test$|^cli\\.(catalog|compare|completion|dataset|hostile|package|predict|recommend|report|survey|trace|usage|validate)_test$")
set(only_starts_ranks "^faults\\.(machine|probe|profile|surroundings)_faults_test$|^cli\\.(launchers|law|profile|torchscript)_test$|^hook\\.(launchers|rungs)_test$")
file(GLOB script_tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/*/*_test.py)
foreach(script ${script_tests})
  get_filename_component(name ${script} NAME_WE)
  get_filename_component(folder ${script} DIRECTORY)
  get_filename_component(label ${folder} NAME)
  if(NOT STALLSCOPE_ENGINE AND NOT label STREQUAL "house")
    continue()
  endif()
  set(test ${label}.${name})
  add_test(NAME ${test} COMMAND ${STALLSCOPE_PYTHON} -B ${script})
  set(test_label ${label})
  if(label STREQUAL "house")
    set(test_label fast)
  endif()
  set_tests_properties(${test} PROPERTIES
    LABELS ${test_label} SKIP_RETURN_CODE 77 TIMEOUT 2400
    ENVIRONMENT "STALLSCOPE_BUILD=${CMAKE_BINARY_DIR};STALLSCOPE_SOURCE=${CMAKE_SOURCE_DIR}")
  if(test MATCHES "${only_starts_ranks}")
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK ranks COST 100)
  elseif(NOT test MATCHES "${measures_nothing}")
    set_tests_properties(${test} PROPERTIES RUN_SERIAL TRUE)
  elseif(label STREQUAL "browser")
    # The first of them fetches what all of them need.
    set_tests_properties(${test} PROPERTIES RESOURCE_LOCK browser)
  endif()
endforeach()
