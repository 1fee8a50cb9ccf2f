# The torch-free library and the command. Torch stays in stallscope/engine/torch.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(JPEG REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/stallscope/*.cpp)
list(FILTER core_sources EXCLUDE REGEX "_test\\.cpp$|/engine/torch/")
# The Python hook travels inside the command.
file(GLOB_RECURSE hook_files CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/python ${CMAKE_SOURCE_DIR}/python/*.py)
list(TRANSFORM hook_files PREPEND ${CMAKE_SOURCE_DIR}/python/ OUTPUT_VARIABLE hook_paths)
set(hook_source ${CMAKE_BINARY_DIR}/hook_files.cpp)
add_custom_command(OUTPUT ${hook_source}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_SOURCE_DIR}/python "-DFILES=${hook_files}" -DOUTPUT=${hook_source}
    -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${hook_paths} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
# The memory probe's loop is compiled as people compile STREAM.
set_source_files_properties(${CMAKE_SOURCE_DIR}/stallscope/probe/triad_pass.cpp PROPERTIES COMPILE_OPTIONS -O3)
add_library(stallscope_core STATIC ${core_sources} ${hook_source})
target_link_libraries(stallscope_core
  PUBLIC stallscope_options fmt::fmt nlohmann_json::nlohmann_json Threads::Threads JPEG::JPEG PkgConfig::hwloc ${CMAKE_DL_LIBS})
target_compile_definitions(stallscope_core PUBLIC STALLSCOPE_VERSION="${PROJECT_VERSION}")

file(GLOB_RECURSE app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/*.cpp)
list(FILTER app_sources EXCLUDE REGEX "_test\\.cpp$|engine_main\\.cpp$")
add_executable(stallscope ${app_sources})
target_link_libraries(stallscope PRIVATE stallscope_core CLI11::CLI11)
set_target_properties(stallscope PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
