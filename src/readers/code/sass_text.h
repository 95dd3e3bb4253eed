// SPDX-License-Identifier: Apache-2.0
//
// One instruction as NVIDIA's disassemblers print it, "@!P0 LDG.E.128 R4, desc[UR4][R2.64+0x10] ;",
// to guard, opcode and operands. One pass, no allocation but for the arrays of the function.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "model/code/listing.h"

namespace proofline {

// A name where an address belongs: BRA `(.L_x_1). It is resolved when the whole
// function has been read.
struct LabelUse {
  enum class Kind : std::uint8_t {
    kOperand,  // an operand like any other
    kBranch,   // the target of a branch, which must be in the function
    kCall,     // the target of a call or jump, which may be elsewhere
    kTable,    // one of the places where an indirect branch can go; no operand
  };
  Kind kind = Kind::kOperand;
  std::uint32_t instruction = 0;
  std::uint32_t operand = 0;     // in CodeFunction::operands
  std::uint32_t first_char = 0;  // in CodeFunction::text
  std::uint32_t size = 0;
};

// Without the blanks at its front.
std::string_view without_blanks(std::string_view text);
// "/*0a30*/" at the front, which is taken off.
std::optional<std::uint64_t> take_address(std::string_view& text);
// "/* 0x000fe20000000800 */" at the front.
std::optional<std::uint64_t> parse_encoding(std::string_view text);

class SassText {
 public:
  static constexpr std::size_t kMaxOperands = 255;

  enum class Parsed : std::uint8_t { kWell, kTooManyOperands, kNotAnInstruction };

  explicit SassText(OpcodeNames& opcodes) : opcodes_(opcodes) {}

  // Appends the instruction to the function, without its address; `text` ends before the ';'.
  // Nothing is appended where the text is not an instruction.
  Parsed append(std::string_view text, CodeFunction& function, std::vector<LabelUse>& labels);

 private:
  // What an opcode's name says about its last operand.
  struct Opcode {
    OpcodeId id = kUnknownOpcode;
    bool offset_is_target = false;  // BRA 0xf0
    LabelUse::Kind label = LabelUse::Kind::kOperand;
  };

  const Opcode& opcode(std::string_view name);

  // Listings use few opcodes, and nearly every look-up ends here.
  static constexpr std::size_t kCacheSize = 1024;

  OpcodeNames& opcodes_;
  std::array<Opcode, kCacheSize> cache_{};
};

}  // namespace proofline
