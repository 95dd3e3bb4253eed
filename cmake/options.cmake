# SPDX-License-Identifier: Apache-2.0
#
# How every target of this project is compiled, as one interface target, and the libraries found.
add_library(proofline_options INTERFACE)
target_compile_features(proofline_options INTERFACE cxx_std_20)
target_compile_options(proofline_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  # When it optimises, g++ 12 sees overlaps, strings longer than memory and accesses out of bounds in
  # the standard library's own strings (its bug 105651 and its kin).
  $<$<AND:$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict;-Wno-stringop-overflow;-Wno-stringop-overread;-Wno-array-bounds>
  # In a unity build g++ takes the sources for headers, which should not use anonymous namespaces.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  $<$<BOOL:${PROOFLINE_WERROR}>:-Werror>)
if(PROOFLINE_SANITIZE)
  target_compile_options(proofline_options INTERFACE
    -fsanitize=${PROOFLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(proofline_options INTERFACE
      -fsanitize-ignorelist=${PROJECT_SOURCE_DIR}/cmake/sanitizer-ignore.txt)
  endif()
  target_link_options(proofline_options INTERFACE -fsanitize=${PROOFLINE_SANITIZE})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 15
   AND EXISTS /usr/include/c++/12)
  # clang 14 cannot compile the C++20 headers of libstdc++ 13 and later; Ubuntu has both.
  target_compile_options(proofline_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-stdlib++-isystem/usr/include/c++/12>
    $<$<COMPILE_LANGUAGE:CXX>:-stdlib++-isystem/usr/include/${CMAKE_LIBRARY_ARCHITECTURE}/c++/12>)
endif()

if(PROOFLINE_PORTABLE)
  # No folder of the building machine in the binary: the same sources give the same bytes anywhere.
  target_compile_options(proofline_options INTERFACE -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
  # Debian's config files name the shared libraries; the archives lie beside them.
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
include(${CMAKE_CURRENT_LIST_DIR}/dependencies.cmake)
foreach(header protozero/pbf_reader.hpp fmt/format.h rapidjson/writer.h re2/re2.h zstd.h zlib.h
        lz4.h sqlite3.h sha2.h toml++/toml.h)
  string(MAKE_C_IDENTIFIER PROOFLINE_INCLUDE_${header} folder)
  find_path(${folder} ${header} REQUIRED)
  target_include_directories(proofline_options SYSTEM INTERFACE ${${folder}})
endforeach()
set(PROOFLINE_FMT_SOURCE ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
file(STRINGS ${PROOFLINE_INCLUDE_fmt_format_h}/fmt/core.h fmt_9 REGEX "#define FMT_VERSION 9")
if(NOT fmt_9)
  set(PROOFLINE_FMT_SOURCE "")
  target_compile_definitions(proofline_options INTERFACE FMT_HEADER_ONLY)
endif()

# What nearly every file includes, to be precompiled; the preset `single` does without, so that no
# include is forgotten.
set(PROOFLINE_COMMON_HEADERS <fmt/format.h> <tl/expected.hpp> <algorithm> <functional> <map> <memory>
  <optional> <span> <string> <string_view> <variant> <vector>)
