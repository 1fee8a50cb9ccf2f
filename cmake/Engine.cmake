# The rank process: the only target that sees torch.
# Debian's libtorch, or another below CMAKE_PREFIX_PATH: the folder of a pip torch, or of a libtorch archive
# (docs/install.md).
find_path(TORCH_INCLUDE torch/csrc/autograd/variable.h REQUIRED)
find_path(TORCH_API_INCLUDE torch/torch.h
  HINTS ${TORCH_INCLUDE}/torch/csrc/api/include REQUIRED)
find_library(TORCH_LIB torch REQUIRED)
find_library(TORCH_CPU_LIB torch_cpu REQUIRED)
find_library(C10_LIB c10 REQUIRED)
# Others than Debian's have Gloo inside, and a second one beside it would not be the one that torch uses.
get_filename_component(torch_folder ${TORCH_CPU_LIB} DIRECTORY)
if(torch_folder MATCHES "^(/usr)?/lib")
  find_library(GLOO_LIB gloo REQUIRED)
endif()
# The program and the engine speak through C++ libraries that have the new ABI.
set(torch_config ${torch_folder}/../share/cmake/Torch/TorchConfig.cmake)
if(EXISTS ${torch_config})
  file(STRINGS ${torch_config} old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
  if(old_abi)
    message(FATAL_ERROR "${torch_folder} was built with the old C++ ABI. "
      "Take a pip torch of 2.6 or newer, or a libtorch archive named cxx11-abi.")
  endif()
endif()
# Debian's package lacks one header, which has a stand-in; it must not hide the real one.
if(NOT EXISTS ${TORCH_INCLUDE}/torch/csrc/distributed/autograd/context/context.h)
  set(torch_stand_in ${CMAKE_SOURCE_DIR}/stallscope/engine/torch/include)
endif()
message(STATUS "The engine is built with libtorch in ${torch_folder}")

file(GLOB engine_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/stallscope/engine/torch/*.cpp)
list(FILTER engine_sources EXCLUDE REGEX "_test\\.cpp$")
add_library(stallscope_torch STATIC ${engine_sources})
# SYSTEM: torch's own headers do not pass our warnings.
target_include_directories(stallscope_torch SYSTEM PUBLIC ${torch_stand_in} ${TORCH_INCLUDE} ${TORCH_API_INCLUDE})
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
