# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` lays down: the program, its completions, its schemas, and the CMake package `proofline`:
#
#   find_package(proofline REQUIRED)                   proofline::proofline, and bench
#   find_package(proofline REQUIRED COMPONENTS bench)  proofline::bench alone, for which no other
#                                                      library is looked for
include(CMakePackageConfigHelpers)
set(PROOFLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/proofline)

install(TARGETS proofline_cli RUNTIME)
install(TARGETS proofline EXPORT proofline ARCHIVE)
install(TARGETS proofline_measurement EXPORT proofline_bench ARCHIVE)
if(TARGET proofline_bench)
  install(TARGETS proofline_bench EXPORT proofline_bench ARCHIVE
    INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  install(FILES bench/include/proofline/bench.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofline)
endif()
install(EXPORT proofline NAMESPACE proofline:: FILE proofline-targets.cmake
  DESTINATION ${PROOFLINE_CMAKE_DIR})
install(EXPORT proofline_bench NAMESPACE proofline:: FILE proofline-bench-targets.cmake
  DESTINATION ${PROOFLINE_CMAKE_DIR})

configure_package_config_file(cmake/proofline-config.cmake.in
  ${PROJECT_BINARY_DIR}/proofline-config.cmake INSTALL_DESTINATION ${PROOFLINE_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proofline-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proofline-config.cmake
  ${PROJECT_BINARY_DIR}/proofline-config-version.cmake DESTINATION ${PROOFLINE_CMAKE_DIR})
install(FILES cmake/dependencies.cmake DESTINATION ${PROOFLINE_CMAKE_DIR}
  RENAME proofline-dependencies.cmake)

# The public headers, and the headers of src that these include: no other is a promise to anyone. All
# of them are installed below proofline/ and include each other from there, so that a user may have a
# folder `base` or `model` of their own.
file(GLOB PROOFLINE_PUBLIC_HEADERS CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/proofline/*.h)
proofline_reached_headers(reached ${PROJECT_SOURCE_DIR}/src ${PROOFLINE_PUBLIC_HEADERS})
foreach(header IN LISTS PROOFLINE_PUBLIC_HEADERS reached)
  string(REGEX REPLACE "^${PROJECT_SOURCE_DIR}/(include/proofline|src)/" "" name ${header})
  file(READ ${header} text)
  string(REPLACE "#include \"" "#include \"proofline/" text "${text}")
  string(REPLACE "#include \"proofline/proofline/" "#include \"proofline/" text "${text}")
  file(CONFIGURE OUTPUT installed/${name} CONTENT "${text}" @ONLY)
  get_filename_component(folder ${name} DIRECTORY)
  install(FILES ${PROJECT_BINARY_DIR}/installed/${name}
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofline/${folder})
endforeach()
install(FILES ${PROJECT_BINARY_DIR}/src/include/proofline/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofline)

# The program prints its completions and schemas itself, so a cross build goes without them.
if(NOT CMAKE_CROSSCOMPILING)
  install(CODE "execute_process(COMMAND \"$<TARGET_FILE:proofline_cli>\" schema
    --all \"${PROJECT_BINARY_DIR}/schemas\" COMMAND_ERROR_IS_FATAL ANY)")
  install(DIRECTORY ${PROJECT_BINARY_DIR}/schemas/
    DESTINATION ${CMAKE_INSTALL_DATADIR}/proofline/schemas)
  foreach(shell bash zsh fish)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:proofline_cli>\" completion ${shell}
      OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion.${shell}\" COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/completion.bash RENAME proofline
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion.zsh RENAME _proofline
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${PROJECT_BINARY_DIR}/completion.fish RENAME proofline.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
