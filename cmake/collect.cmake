# SPDX-License-Identifier: Apache-2.0
#
# The lists of formats, rules, views and commands come from their folders: a file <stem>.cpp that
# defines `<Type> <stem>()` is one of them. Nobody keeps a list by hand, and there are no static
# constructors. A file that defines no such function is a helper of its neighbours.
#
#   proofline_collect(<out-file> <Type> <function> <header> <pattern>)
#
# makes a source file that declares every such function and defines <function>, which the header
# declares as `std::span<const Type> <function>()`; a span of a fixed size does not compile while
# there are more or fewer files. That is done when building, by this file run as a script:
# editing a rule looks at its folder again, which takes no time and leaves the list as it was, and
# does not run CMake. Only a file that comes or goes does.
#
#   proofline_stems(<variable> <Type> <pattern>)
#
# gives the stems themselves, as they are when CMake runs.

# Of these files, those that define their function, in order.
function(proofline_defined_stems variable type)
  list(SORT ARGN COMPARE FILE_BASENAME)
  set(stems "")
  foreach(file IN LISTS ARGN)
    get_filename_component(stem ${file} NAME_WE)
    file(STRINGS ${file} definition REGEX "^${type} ${stem}\\(\\)")
    if(definition)
      list(APPEND stems ${stem})
    endif()
  endforeach()
  set(${variable} ${stems} PARENT_SCOPE)
endfunction()

function(proofline_stems variable type pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  proofline_defined_stems(stems ${type} ${files})
  set(${variable} ${stems} PARENT_SCOPE)
endfunction()

function(proofline_collect out type function header pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  get_filename_component(name ${out} NAME)
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DTYPE=${type} -DFUNCTION=${function} -DHEADER=${header}
      "-DFILES=${files}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Listing ${function} in ${name}"
    VERBATIM)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

proofline_defined_stems(stems ${TYPE} ${FILES})
set(declarations "")
set(rows "")
foreach(stem IN LISTS stems)
  string(APPEND declarations "${TYPE} ${stem}();\n")
  string(APPEND rows "${stem}(), ")
endforeach()
# Leaves a file alone that would stay the same, so that nothing is compiled again.
file(CONFIGURE OUTPUT ${OUT} CONTENT
"// Made by cmake/collect.cmake from a folder; do not edit.
#include \"${HEADER}\"

namespace proofline {
${declarations}
decltype(${FUNCTION}()) ${FUNCTION}() {
  static const ${TYPE} kAll[] = {${rows}};
  return kAll;
}
}  // namespace proofline
" @ONLY)
