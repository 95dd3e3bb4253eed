# SPDX-License-Identifier: Apache-2.0
#
# Which sources make up a target, and which of them are compiled together.
#
#   proofline_reached_headers(<variable> <folder> <file>...)
#   proofline_reached_sources(<variable> <folder> <file>...)
#
# give the headers of a folder that these files include, also by way of others; and the sources that
# they need: including "a/b.h" needs a/b.cpp and a/b_record.cpp, if there are any, and whatever those
# include.
#
#   proofline_unity(<target> <source>...)
#
# groups the sources of a target for a unity build. A unit is a folder, which is compiled again fast
# when one of its files was edited; or, with PROOFLINE_LARGE_UNITS, at most PROOFLINE_UNIT_FILES of a
# stage (the first folder below src). With folders two fifths of the generated code are templates and
# inline functions that other units generate, too, so that large units are faster as a whole. Names in
# anonymous namespaces are therefore unique in their stage.
option(PROOFLINE_LARGE_UNITS "Compile stages, not folders: faster as a whole, slower after an edit" ON)
set(PROOFLINE_UNIT_FILES 30)

function(proofline_follow_includes variable folder extensions)
  set(pending ${ARGN})
  set(reached "")
  while(pending)
    list(POP_FRONT pending file)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    file(STRINGS ${file} includes REGEX "^#include \"[a-z_]+/")
    foreach(line IN LISTS includes)
      string(REGEX REPLACE "^#include \"([^\"]+)\\.h\".*" "${folder}/\\1" stem ${line})
      foreach(extension IN LISTS extensions)
        if(EXISTS ${stem}${extension} AND NOT ${stem}${extension} IN_LIST reached)
          list(APPEND reached ${stem}${extension})
          list(APPEND pending ${stem}${extension})
        endif()
      endforeach()
    endforeach()
  endwhile()
  set(${variable} ${reached} PARENT_SCOPE)
endfunction()

function(proofline_reached_headers variable folder)
  proofline_follow_includes(reached ${folder} .h ${ARGN})
  set(${variable} ${reached} PARENT_SCOPE)
endfunction()

function(proofline_reached_sources variable folder)
  proofline_follow_includes(reached ${folder} ".h;.cpp;_record.cpp" ${ARGN})
  list(FILTER reached INCLUDE REGEX "\\.cpp$")
  set(${variable} ${reached} PARENT_SCOPE)
endfunction()

function(proofline_unity target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  list(SORT ARGN)
  set(stages "")
  foreach(source IN LISTS ARGN)
    file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${source})
    string(REGEX REPLACE "/[^/]*$" "" folder ${folder})
    string(REGEX REPLACE "/.*" "" stage ${folder})
    list(APPEND stages ${stage})
    list(APPEND sources_${stage} ${source})
    string(MAKE_C_IDENTIFIER ${folder} unit)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${unit})
  endforeach()
  if(NOT PROOFLINE_LARGE_UNITS)
    return()
  endif()
  list(REMOVE_DUPLICATES stages)
  foreach(stage IN LISTS stages)
    list(LENGTH sources_${stage} count)
    math(EXPR units "(${count} + ${PROOFLINE_UNIT_FILES} - 1) / ${PROOFLINE_UNIT_FILES}")
    set(index 0)
    foreach(source IN LISTS sources_${stage})
      math(EXPR unit "${index} * ${units} / ${count}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${stage}_${unit})
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()
