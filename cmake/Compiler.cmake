# How every target of this project is compiled.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2")

find_program(CCACHE ccache)
if(CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CCACHE})
endif()

set(STALLSCOPE_SANITIZE "" CACHE STRING "Sanitizers, as -fsanitize takes them")

add_library(stallscope_options INTERFACE)
target_include_directories(stallscope_options INTERFACE ${CMAKE_SOURCE_DIR})
if(STALLSCOPE_SANITIZE)
  # Warnings are g++'s, in the usual build. Whatever is found ends the test.
  target_compile_options(stallscope_options INTERFACE -w -fsanitize=${STALLSCOPE_SANITIZE} -fno-sanitize-recover=all
    -fno-omit-frame-pointer)
  target_link_options(stallscope_options INTERFACE -fsanitize=${STALLSCOPE_SANITIZE})
else()
  # Designated initialisers are there to leave fields out.
  target_compile_options(stallscope_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Werror
    -Wno-missing-field-initializers)
endif()
