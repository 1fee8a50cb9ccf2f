# The rank process: the only target that sees torch.
find_path(TORCH_INCLUDE torch/csrc/autograd/variable.h REQUIRED)
find_path(TORCH_API_INCLUDE torch/torch.h
  HINTS ${TORCH_INCLUDE}/torch/csrc/api/include REQUIRED)
find_library(TORCH_LIB torch REQUIRED)
find_library(TORCH_CPU_LIB torch_cpu REQUIRED)
find_library(C10_LIB c10 REQUIRED)
find_library(GLOO_LIB gloo REQUIRED)

file(GLOB engine_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/stallscope/engine/torch/*.cpp)
list(FILTER engine_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(stallscope_torch STATIC ${engine_sources})
# SYSTEM: torch's own headers do not pass our warnings. The local include folder
# holds the stand-in for the one header that Debian's package lacks.
target_include_directories(stallscope_torch SYSTEM PUBLIC
  ${CMAKE_SOURCE_DIR}/stallscope/engine/torch/include ${TORCH_INCLUDE} ${TORCH_API_INCLUDE})
# NDEBUG: the library was built with it, and without it its headers lay classes out differently (RecordFunction has
# one more field), so that we would read memory which nobody set.
target_compile_definitions(stallscope_torch PUBLIC USE_C10D_GLOO USE_DISTRIBUTED NDEBUG)
target_link_libraries(stallscope_torch
  PUBLIC stallscope_core ${TORCH_LIB} ${TORCH_CPU_LIB} ${C10_LIB} ${GLOO_LIB})
# <torch/torch.h> takes half a minute to read; it is read once.
target_precompile_headers(stallscope_torch PRIVATE <torch/torch.h>)

add_executable(stallscope-engine ${CMAKE_SOURCE_DIR}/app/engine_main.cpp)
target_link_libraries(stallscope-engine PRIVATE stallscope_torch)
set_target_properties(stallscope-engine PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
