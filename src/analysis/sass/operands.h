// SPDX-License-Identifier: Apache-2.0
//
// Makes a reader's functions ready for analysis: encodings without text are decoded, and each
// operand learns whether it is read or written and how many registers it names, which follows from
// the opcode.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "model/code/listing.h"

namespace proofline {

// What an opcode does with its operands, in the order of the text: predicates that it writes, then
// registers that it writes, predicates again; all others are read.
struct OperandPlan {
  bool known = false;
  std::uint8_t leading_predicates = 0;
  std::uint8_t written_registers = 0;
  std::uint8_t trailing_predicates = 0;
  std::uint8_t written_count = 1;          // consecutive registers of each written one
  std::uint8_t read_count[3] = {1, 1, 1};  // of each one that is read, outside brackets
  bool wide_address = false;               // 64 bits, whatever the text says
  bool accumulates = false;  // the last register that it reads is as wide as the written one
};

OperandPlan plan_operands(std::string_view opcode);

// What completing a function could not do.
struct DecodeLoss {
  std::uint64_t decoded = 0;            // instructions named from their encodings
  std::uint64_t unknown_opcodes = 0;    // of these: no name
  std::uint64_t unknown_modifiers = 0;  // of these: a name, but not all of its modifiers
  bool no_tables = false;               // this architecture has none
  std::vector<bool> partial;            // by instruction: its name may lack modifiers; or empty
};

class CodeCompleter {
 public:
  // The names must outlive it.
  explicit CodeCompleter(OpcodeNames& opcodes) : opcodes_(opcodes) {}

  DecodeLoss complete(CodeFunction& function);

 private:
  DecodeLoss decode(CodeFunction& function);
  const OperandPlan& plan(OpcodeId opcode);

  OpcodeNames& opcodes_;
  std::vector<OperandPlan> plans_;  // by opcode
};

// The text of an instruction, composed where the reader had none: "@!P0 LDG.E R4, [R2+0x10]".
std::string instruction_text(const CodeFunction& function, const OpcodeNames& opcodes,
                             const Instruction& instruction);

}  // namespace proofline
