# SPDX-License-Identifier: Apache-2.0
#
# The lists of readers, views and commands come from their folders: each file <stem>.cpp that
# matches the pattern defines `<Type> <stem>()`. Nobody keeps a list by hand, and there are no
# static constructors.
#
#   proofline_collect(<out-file> <Type> <function> <header> <pattern>)
#
# writes a source file that declares every such function and defines
# `std::span<const Type> <function>()`; the global property PROOFLINE_<function> gets the stems.
# A stem counts only where its function is defined, so shared helpers may lie in the same folder.
function(proofline_collect out type function header pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  list(SORT files COMPARE FILE_BASENAME)
  set(declarations "")
  set(rows "")
  foreach(file IN LISTS files)
    get_filename_component(stem ${file} NAME_WE)
    file(STRINGS ${file} definition REGEX "^${type} ${stem}\\(\\)")
    # Editing such a file can add or remove its entry.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
    if(definition)
      string(APPEND declarations "${type} ${stem}();\n")
      string(APPEND rows "${stem}(), ")
      set_property(GLOBAL APPEND PROPERTY PROOFLINE_${function} ${stem})
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${out} CONTENT
"// Made by cmake/collect.cmake from a folder; do not edit.
#include \"${header}\"

namespace proofline {
${declarations}
std::span<const ${type}> ${function}() {
  static const ${type} kAll[] = {${rows}};
  return kAll;
}
}  // namespace proofline
" @ONLY)
endfunction()
