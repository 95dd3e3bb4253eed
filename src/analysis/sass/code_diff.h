// SPDX-License-Identifier: Apache-2.0
//
// Whether two functions are the same code, whatever names their registers have and wherever they
// lie; and where they are not, which instructions came and went.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "model/code/listing.h"

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
std::string_view to_string(Sameness sameness);

struct CodeDiff {
  Sameness sameness = Sameness::kDifferent;
  std::uint32_t common = 0;   // instructions that both have, in the same order
  std::uint32_t removed = 0;  // only in A
  std::uint32_t added = 0;    // only in B
  bool estimated = false;     // too different to be aligned: counts by opcode alone
  // Control bits where the instructions are the same; absent encodings: no word on it.
  bool control_known = false;
  std::uint32_t control_changed = 0;
  std::uint64_t stall_cycles_a = 0;  // summed over the instructions as they lie
  std::uint64_t stall_cycles_b = 0;
  // Where bytes were compared: that they were, and how many instructions differ in them.
  bool by_bytes = false;
  std::uint32_t bytes_changed = 0;
};

// `wholly_read`: both sides were read and every opcode named. Otherwise only bytes can tell.
CodeDiff diff_code(const CodeFunction& a, const OpcodeNames& opcodes_a, const CodeFunction& b,
                   const OpcodeNames& opcodes_b, bool wholly_read = true);

}  // namespace proofline
