# SPDX-License-Identifier: Apache-2.0
#
# What `cmake --install` lays down: the program, its completions, and the library as the CMake
# package `proofline` (find_package(proofline), then link proofline::proofline).
include(CMakePackageConfigHelpers)
set(PROOFLINE_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/proofline)

install(TARGETS proofline_cli RUNTIME)
install(TARGETS proofline EXPORT proofline ARCHIVE)
if(TARGET proofline_bench)
  install(TARGETS proofline_bench EXPORT proofline ARCHIVE)
  install(FILES bench/include/proofline/bench.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofline)
endif()
install(EXPORT proofline NAMESPACE proofline:: FILE proofline-targets.cmake
  DESTINATION ${PROOFLINE_CMAKE_DIR})

configure_package_config_file(cmake/proofline-config.cmake.in
  ${PROJECT_BINARY_DIR}/proofline-config.cmake INSTALL_DESTINATION ${PROOFLINE_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/proofline-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/proofline-config.cmake
  ${PROJECT_BINARY_DIR}/proofline-config-version.cmake DESTINATION ${PROOFLINE_CMAKE_DIR})
install(FILES cmake/dependencies.cmake DESTINATION ${PROOFLINE_CMAKE_DIR}
  RENAME proofline-dependencies.cmake)

# The public headers, and of src the headers that these include: no more is a promise to anyone.
file(GLOB public CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/proofline/*.h)
install(FILES ${public} ${PROJECT_BINARY_DIR}/src/include/proofline/version.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofline)
set(PROOFLINE_HEADERS "")
set(queue ${public})
while(queue)
  list(POP_FRONT queue file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(STRINGS ${file} includes REGEX "^#include \"")
  foreach(line IN LISTS includes)
    string(REGEX REPLACE "^#include \"(.*)\".*" "\\1" name ${line})
    if(EXISTS ${PROJECT_SOURCE_DIR}/src/${name} AND NOT name IN_LIST PROOFLINE_HEADERS)
      list(APPEND PROOFLINE_HEADERS ${name})
      list(APPEND queue ${PROJECT_SOURCE_DIR}/src/${name})
    endif()
  endforeach()
endwhile()
foreach(header IN LISTS PROOFLINE_HEADERS)
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/proofline/${folder})
endforeach()

# The program prints its completions itself, so a cross build goes without them.
if(NOT CMAKE_CROSSCOMPILING)
  foreach(shell bash zsh)
    install(CODE "execute_process(COMMAND \"$<TARGET_FILE:proofline_cli>\" completion ${shell}
      OUTPUT_FILE \"${PROJECT_BINARY_DIR}/completion.${shell}\" COMMAND_ERROR_IS_FATAL ANY)")
  endforeach()
  install(FILES ${PROJECT_BINARY_DIR}/completion.bash RENAME proofline
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${PROJECT_BINARY_DIR}/completion.zsh RENAME _proofline
    DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
endif()
