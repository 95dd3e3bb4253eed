// SPDX-License-Identifier: Apache-2.0
//
// How alike the machine code of two functions is.
#pragma once

#include <string_view>

namespace proofline {

enum class Sameness {
  kIdentical,    // the same instructions on the same registers, with the same control bits
  kRenamed,      // the same but for the names of registers
  kRescheduled,  // the same instructions and dependences, with other control bits
  kSameOpcodes,  // the same opcodes in the same order; operands cannot be compared, since one side
                 // is a listing and the other encodings
  kDifferent,
  kBytesDiffer,  // what was not decoded, or what decoding leaves out, differs in its bytes
  kUnknown,      // not all of it was read, and there are no bytes to compare
};
std::string_view to_string(Sameness sameness);  // "same-opcodes"

}  // namespace proofline
