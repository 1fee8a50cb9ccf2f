# The torch-free library and the command. Torch stays in stallscope/engine/torch.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(JPEG REQUIRED)
find_package(Threads REQUIRED)
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(PkgConfig REQUIRED)
pkg_check_modules(hwloc REQUIRED IMPORTED_TARGET hwloc)

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/stallscope/*.cpp)
list(FILTER core_sources EXCLUDE REGEX "_test\\.cpp$|/engine/torch/")
# Files that travel inside the command: embed(OUT root header function pattern...) sets OUT to a C++ file.
function(embed out root header function)
  list(TRANSFORM ARGN PREPEND ${root}/ OUTPUT_VARIABLE patterns)
  file(GLOB files CONFIGURE_DEPENDS RELATIVE ${root} ${patterns})
  list(TRANSFORM files PREPEND ${root}/ OUTPUT_VARIABLE paths)
  set(source ${CMAKE_BINARY_DIR}/${function}.cpp)
  add_custom_command(OUTPUT ${source}
    COMMAND ${CMAKE_COMMAND} -DROOT=${root} "-DFILES=${files}" -DHEADER=${header} -DFUNCTION=${function}
      -DOUTPUT=${source} -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
    DEPENDS ${paths} ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
  set(${out} ${source} PARENT_SCOPE)
endfunction()
embed(hook_source ${CMAKE_SOURCE_DIR}/python stallscope/hook/hook_files.h HookFiles *.py stallscope_hook/*.py)
embed(catalog_source ${CMAKE_SOURCE_DIR}/data stallscope/catalog/catalog_files.h CatalogFiles *.csv own/*.csv)
embed(schema_source ${CMAKE_SOURCE_DIR}/docs/schema stallscope/document/schema_check.h SchemaFiles *.schema.json)
include(Page)
embed(predict_source ${CMAKE_SOURCE_DIR}/data/predict stallscope/predict/shipped_file.h PredictFiles *.csv)
# The memory probe's loop is compiled as people compile STREAM.
set_source_files_properties(${CMAKE_SOURCE_DIR}/stallscope/probe/triad_pass.cpp PROPERTIES COMPILE_OPTIONS -O3)
add_library(stallscope_core STATIC ${core_sources} ${hook_source} ${catalog_source} ${predict_source}
  ${schema_source} ${page_source})
target_link_libraries(stallscope_core
  PUBLIC stallscope_options fmt::fmt nlohmann_json::nlohmann_json Threads::Threads JPEG::JPEG PkgConfig::hwloc Eigen3::Eigen ${CMAKE_DL_LIBS})
target_compile_definitions(stallscope_core PUBLIC STALLSCOPE_VERSION="${PROJECT_VERSION}")

file(GLOB_RECURSE app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/*.cpp)
list(FILTER app_sources EXCLUDE REGEX "_test\\.cpp$|engine_main\\.cpp$")
add_executable(stallscope ${app_sources})
target_link_libraries(stallscope PRIVATE stallscope_core CLI11::CLI11)
set_target_properties(stallscope PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})

# Writes stallscope/predict/shipped_parameters.cpp (scripts/predict/).
add_executable(fit_scaling_parameters EXCLUDE_FROM_ALL
  ${CMAKE_SOURCE_DIR}/scripts/predict/fit_scaling_parameters.cpp)
target_link_libraries(fit_scaling_parameters PRIVATE stallscope_core)

# Writes data/predict/compute_parameters.csv (scripts/predict/).
add_executable(fit_compute_parameters EXCLUDE_FROM_ALL ${CMAKE_SOURCE_DIR}/scripts/predict/fit_compute_parameters.cpp)
target_link_libraries(fit_compute_parameters PRIVATE stallscope_core)
