// SPDX-License-Identifier: Apache-2.0
//
// What a stretch of machine code is made of: instructions by class and opcode, memory accesses by
// width.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analysis/sass/flow.h"
#include "arch/mnemonics.h"
#include "model/code/listing.h"

namespace proofline {

// What an opcode's name tells, looked up once for each.
struct OpcodeTrait {
  InstructionClass kind = InstructionClass::kUnknown;
  std::uint32_t width = 0;  // bytes of a thread's access; 0: none
  bool known = false;       // looked up
};

class OpcodeTraits {
 public:
  // The names must outlive it.
  explicit OpcodeTraits(const OpcodeNames& names) : names_(names) {}
  const OpcodeTrait& operator[](OpcodeId opcode);
  const OpcodeNames& names() const { return names_; }

 private:
  const OpcodeNames& names_;
  std::vector<OpcodeTrait> traits_;
};

struct CodeStats {
  struct OpcodeCount {
    std::string_view opcode;  // a name in the OpcodeNames that the code was read with
    std::uint32_t count = 0;
  };
  struct WidthCount {
    InstructionClass kind = InstructionClass::kUnknown;
    std::uint32_t width = 0;  // bytes of a thread
    std::uint32_t count = 0;
  };

  std::uint32_t instructions = 0;
  std::uint32_t predicated = 0;  // under a predicate
  ClassCounts by_class{};
  std::vector<OpcodeCount> opcodes;  // most frequent first
  std::vector<WidthCount> widths;    // by class, then width

  std::uint32_t count(InstructionClass kind) const {
    return by_class[static_cast<std::size_t>(kind)];
  }
  double share(InstructionClass kind) const {
    return instructions == 0 ? 0 : static_cast<double>(count(kind)) / instructions;
  }
  // Bytes that a thread moves in one instruction of that class, on average; 0: there are none.
  double mean_width(InstructionClass kind) const;
};

// Of a whole function: what is reachable, without the padding after the code.
CodeStats count_function(const CodeFunction& function, const Flow& flow, OpcodeTraits& traits);
// Of a loop, inner ones included.
CodeStats count_loop(const CodeFunction& function, const Flow& flow, std::uint32_t loop,
                     OpcodeTraits& traits);
// Of blocks.
CodeStats count_blocks(const CodeFunction& function, const Flow& flow,
                       std::span<const std::uint32_t> blocks, OpcodeTraits& traits);

}  // namespace proofline
