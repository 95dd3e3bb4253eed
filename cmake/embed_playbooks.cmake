# SPDX-License-Identifier: Apache-2.0
#
# Playbooks go into the binary as they are. Run as a script while building:
#
#   cmake -DOUT=playbooks.gen.cpp "-DFILES=a.toml;b.toml" -P embed_playbooks.cmake
#
# makes a source file that defines all of src/playbook/shipped.h but the lookup.
function(proofline_embed_playbooks out pattern)
  file(GLOB files CONFIGURE_DEPENDS ${pattern})
  add_custom_command(OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} "-DFILES=${files}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding playbooks"
    VERBATIM)
endfunction()

if(NOT CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

cmake_minimum_required(VERSION 3.22)
list(SORT FILES COMPARE FILE_BASENAME)
set(rows "")
set(commands "\"\"")
set(skeleton "\"\"")
foreach(file IN LISTS FILES)
  file(READ ${file} text)
  get_filename_component(stem ${file} NAME_WE)
  set(literal "R\"toml(${text})toml\"")
  if(stem STREQUAL "commands")
    set(commands "${literal}")
  elseif(stem STREQUAL "skeleton")
    set(skeleton "${literal}")
  else()
    string(APPEND rows "      {\"${stem}\", ${literal}},\n")
  endif()
endforeach()
file(WRITE ${OUT}
"// Made by cmake/embed_playbooks.cmake from playbooks/; do not edit.
#include \"playbook/shipped.h\"

namespace proofline {

std::span<const ShippedPlaybook> shipped_playbooks() {
  static constexpr ShippedPlaybook kAll[] = {
${rows}  };
  return kAll;
}

std::string_view skeleton_playbook() { return ${skeleton}; }

std::string_view shipped_commands() { return ${commands}; }

}  // namespace proofline
")
