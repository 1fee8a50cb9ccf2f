# `cmake --install` and packages. Two components: the program, which needs no torch, and the engine.
find_program(GZIP gzip REQUIRED)
# Packages are made of what was built: making one does not build the tests.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(manual ${CMAKE_BINARY_DIR}/manual)
# The man page and the completions are what the commands say of themselves.
add_custom_command(OUTPUT ${manual}/stallscope.1.gz ${manual}/stallscope.bash ${manual}/_stallscope ${manual}/stallscope.fish
    ${manual}/changelog.gz
  COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}
  COMMAND stallscope manual > ${manual}/stallscope.1
  COMMAND ${GZIP} -9nf ${manual}/stallscope.1
  COMMAND stallscope completions bash > ${manual}/stallscope.bash
  COMMAND stallscope completions zsh > ${manual}/_stallscope
  COMMAND stallscope completions fish > ${manual}/stallscope.fish
  COMMAND ${GZIP} -9nc ${CMAKE_SOURCE_DIR}/CHANGELOG.md > ${manual}/changelog.gz
  DEPENDS stallscope ${CMAKE_SOURCE_DIR}/CHANGELOG.md COMMENT "Writing the man page and shell completions" VERBATIM)
add_custom_target(manual ALL DEPENDS ${manual}/stallscope.1.gz)

set(documents share/doc/stallscope)
install(TARGETS stallscope RUNTIME DESTINATION bin COMPONENT stallscope)
install(FILES ${manual}/stallscope.1.gz DESTINATION share/man/man1 COMPONENT stallscope)
install(FILES ${manual}/stallscope.bash DESTINATION share/bash-completion/completions RENAME stallscope
  COMPONENT stallscope)
install(FILES ${manual}/_stallscope DESTINATION share/zsh/vendor-completions COMPONENT stallscope)
install(FILES ${manual}/stallscope.fish DESTINATION share/fish/vendor_completions.d COMPONENT stallscope)
install(FILES LICENSE DESTINATION ${documents} RENAME copyright COMPONENT stallscope)
install(FILES ${manual}/changelog.gz ${page_build}/page/licences.txt README.md DESTINATION ${documents}
  COMPONENT stallscope)
install(DIRECTORY docs DESTINATION ${documents} COMPONENT stallscope
  FILES_MATCHING PATTERN "*.md" PATTERN "*.schema.json" PATTERN "*.png")
if(STALLSCOPE_ENGINE)
  # Where the program looks for it (app/engine_path.cpp). A libtorch outside the system's folders is found again.
  set_target_properties(stallscope-engine PROPERTIES INSTALL_RPATH_USE_LINK_PATH TRUE)
  install(TARGETS stallscope-engine RUNTIME DESTINATION libexec/stallscope COMPONENT engine)
  install(FILES LICENSE DESTINATION share/doc/stallscope-engine RENAME copyright COMPONENT engine)
endif()

# cpack --config build/CPackConfig.cmake: .deb and .tar.gz, one of each component.
set(CPACK_GENERATOR "DEB;TGZ")
set(CPACK_PACKAGE_VENDOR "the stallscope authors")
set(CPACK_PACKAGE_CONTACT "the stallscope authors <stallscope@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler and advisor for distributed deep learning")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL stallscope)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_STALLSCOPE_PACKAGE_NAME stallscope)
set(CPACK_COMPONENT_STALLSCOPE_DESCRIPTION
  "Measures where a step of data-parallel training waits (interconnect, network,\nCPU preparation, disk), in the user's own PyTorch program, unedited; predicts it\nfor machines that nobody rented yet, and names what to rent. Needs no torch.")
# --emulate makes networks with ip and tc; run needs the user's own Python.
set(CPACK_DEBIAN_STALLSCOPE_PACKAGE_RECOMMENDS "iproute2")
set(CPACK_DEBIAN_STALLSCOPE_PACKAGE_SUGGESTS "stallscope-engine, python3-torch")
set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(platform ${PROJECT_VERSION}-linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_ARCHIVE_STALLSCOPE_FILE_NAME stallscope-${platform})
if(STALLSCOPE_ENGINE)
  list(APPEND CPACK_COMPONENTS_ALL engine)
  set(CPACK_DEBIAN_ENGINE_PACKAGE_NAME stallscope-engine)
  set(CPACK_COMPONENT_ENGINE_DESCRIPTION
    "The training engine of stallscope profile and probe: ranks that train through\nlibtorch's Reducer over Gloo, without Python.")
  set(CPACK_DEBIAN_ENGINE_PACKAGE_DEPENDS "stallscope (= ${PROJECT_VERSION})")
  set(CPACK_ARCHIVE_ENGINE_FILE_NAME stallscope-engine-${platform})
endif()
include(CPack)
