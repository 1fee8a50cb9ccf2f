# The torch-free library and the command. Torch stays in stallscope/engine/torch.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(JPEG REQUIRED)
find_package(Threads REQUIRED)

file(GLOB_RECURSE core_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/stallscope/*.cpp)
list(FILTER core_sources EXCLUDE REGEX "_test\\.cpp$|/engine/torch/")
add_library(stallscope_core STATIC ${core_sources})
target_link_libraries(stallscope_core
  PUBLIC stallscope_options fmt::fmt nlohmann_json::nlohmann_json Threads::Threads JPEG::JPEG ${CMAKE_DL_LIBS})
target_compile_definitions(stallscope_core PUBLIC STALLSCOPE_VERSION="${PROJECT_VERSION}")

file(GLOB_RECURSE app_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/app/*.cpp)
list(FILTER app_sources EXCLUDE REGEX "_test\\.cpp$|engine_main\\.cpp$")
add_executable(stallscope ${app_sources})
target_link_libraries(stallscope PRIVATE stallscope_core CLI11::CLI11)
set_target_properties(stallscope PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
