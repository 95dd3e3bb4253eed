# SPDX-License-Identifier: Apache-2.0
#
# Writes the CTest file that runs a GoogleTest program one suite a process:
#
#   cmake -DPROGRAM=... -DOUT=... -DFOLDER=... -DPROPERTIES=... -P list_suites.cmake
#
# One process for each test would spend most of its time starting; one for all would hide a crash's
# place and run on one core.
execute_process(COMMAND ${PROGRAM} --gtest_list_tests OUTPUT_VARIABLE listed
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "\n[^ \n]+\\.\n" suites "\n${listed}\n")
set(text "")
foreach(suite IN LISTS suites)
  string(REGEX REPLACE "^\n(.*)\\.\n$" "\\1" suite "${suite}")
  string(APPEND text "add_test([=[unit.${suite}]=] [=[${PROGRAM}]=] [=[--gtest_filter=${suite}.*]=] --gtest_brief=1)\n"
    "set_tests_properties([=[unit.${suite}]=] PROPERTIES WORKING_DIRECTORY [=[${FOLDER}]=] ${PROPERTIES})\n")
endforeach()
if(NOT text)
  message(FATAL_ERROR "${PROGRAM} lists no suite")
endif()
file(WRITE ${OUT} "${text}")
