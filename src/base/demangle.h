// SPDX-License-Identifier: Apache-2.0
//
// C++ names as people write them. A mangled name of 250 bytes can stand for half a gigabyte of
// text, so there is a limit to what is written out.
#pragma once

#include <string>
#include <string_view>

namespace proofline {

struct DemangledName {
  std::string text;    // the name itself where it is not a mangled one, or stands for too much
  bool limit = false;  // it stands for more text than we write out
};

DemangledName demangle(std::string_view name);

}  // namespace proofline
