// SPDX-License-Identifier: Apache-2.0
//
// Demangles C++ names. A mangled name of 250 bytes can expand to half a gigabyte of text, so the
// length of the result is limited.
#pragma once

#include <string>
#include <string_view>

namespace proofline {

struct DemangledName {
  std::string text;    // the input itself where it is not mangled or exceeds the limit
  bool limit = false;  // the demangled name exceeds the limit
};

DemangledName demangle(std::string_view name);

}  // namespace proofline
