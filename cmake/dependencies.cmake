# SPDX-License-Identifier: Apache-2.0
#
# The compiled libraries that ours links, as imported targets. The installed package carries this
# file too and looks for them where it is used, so no path of the building machine gets into it.
set(PROOFLINE_LIBRARIES re2 zstd z lz4 sqlite3 md)
foreach(library IN LISTS PROOFLINE_LIBRARIES)
  if(NOT TARGET proofline::${library})
    find_library(PROOFLINE_${library}_LIBRARY ${library} REQUIRED)
    add_library(proofline::${library} UNKNOWN IMPORTED)
    set_target_properties(proofline::${library} PROPERTIES
      IMPORTED_LOCATION ${PROOFLINE_${library}_LIBRARY})
  endif()
endforeach()
