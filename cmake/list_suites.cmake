# SPDX-License-Identifier: Apache-2.0
#
# Writes the CTest file that runs a GoogleTest program one suite a process:
#
#   cmake -DPROGRAM=... -DOUT=... -DFOLDER=... -DPROPERTIES=... [-DSHARDS=N] -P list_suites.cmake
#
# One process for each test would spend most of its time starting; one for all would hide a crash's
# place and run on one core. With SHARDS there are that many processes, for a program whose end
# takes longer than most suites: the search for leaks is seconds each time.
if(SHARDS)
  set(text "")
  math(EXPR last "${SHARDS} - 1")
  foreach(shard RANGE ${last})
    string(APPEND text "add_test([=[unit.shard-${shard}]=] [=[${PROGRAM}]=] --gtest_brief=1)\n"
      "set_tests_properties([=[unit.shard-${shard}]=] PROPERTIES WORKING_DIRECTORY [=[${FOLDER}]=] ENVIRONMENT \"GTEST_TOTAL_SHARDS=${SHARDS};GTEST_SHARD_INDEX=${shard}\" COST 200 ${PROPERTIES})\n")
  endforeach()
  file(WRITE ${OUT} "${text}")
  return()
endif()
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
