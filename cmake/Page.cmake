# The report page: web/ is bundled into one HTML file, which the command carries.
set(page_source ${CMAKE_BINARY_DIR}/PageFiles.cpp)
set(STALLSCOPE_PAGE "" CACHE FILEPATH "A page that was bundled already; empty: bundle web/")
if(STALLSCOPE_PAGE)
  cmake_path(GET STALLSCOPE_PAGE PARENT_PATH page_folder)
  embed(page_source ${page_folder} stallscope/report/page_files.h PageFiles page.html)
  return()
endif()
find_program(NPM npm REQUIRED)
find_program(NODE NAMES node nodejs REQUIRED)
execute_process(COMMAND ${NODE} --version OUTPUT_VARIABLE node_version OUTPUT_STRIP_TRAILING_WHITESPACE)
string(REGEX REPLACE "^v" "" node_version "${node_version}")
if(NOT node_version VERSION_GREATER_EQUAL 18)
  message(FATAL_ERROR "The report page needs Node 18 or newer, and ${NODE} is '${node_version}'. "
    "Install Debian 12's nodejs, or name another with -DNODE=/path/to/node.")
endif()
set(page_build ${CMAKE_BINARY_DIR}/web)
file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/web/src/*)
# Packages are fetched once, and anew where the lock file changes; their install scripts are not run.
add_custom_command(OUTPUT ${page_build}/installed
  COMMAND ${CMAKE_COMMAND} -E make_directory ${page_build}
  COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json
    ${page_build}
  COMMAND ${NPM} ci --prefix ${page_build} --omit=dev --ignore-scripts --no-audit --no-fund --silent
  COMMAND ${CMAKE_COMMAND} -E touch ${page_build}/installed
  DEPENDS ${CMAKE_SOURCE_DIR}/web/package.json ${CMAKE_SOURCE_DIR}/web/package-lock.json
  COMMENT "Fetching the packages of the report page" VERBATIM)
add_custom_command(OUTPUT ${page_build}/page/page.html ${page_build}/page/licences.txt
  COMMAND ${NODE} ${CMAKE_SOURCE_DIR}/web/build.mjs ${page_build} ${page_build}/page/page.html
  DEPENDS ${page_build}/installed ${CMAKE_SOURCE_DIR}/web/build.mjs ${page_sources}
  COMMENT "Bundling the report page" VERBATIM)
add_custom_command(OUTPUT ${page_source}
  COMMAND ${CMAKE_COMMAND} -DROOT=${page_build}/page -DFILES=page.html -DHEADER=stallscope/report/page_files.h
    -DFUNCTION=PageFiles -DOUTPUT=${page_source} -P ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake
  DEPENDS ${page_build}/page/page.html ${CMAKE_SOURCE_DIR}/cmake/embed_files.cmake VERBATIM)
