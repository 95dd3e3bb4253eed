// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/awaited_instructions.h"

#include <fmt/format.h>

#include "analysis/sass/operands.h"
#include "analysis/sass/source_lines.h"
#include "arch/mnemonics.h"

namespace proofline {
namespace {

// "[R3+URZ+0x118]"
std::string address_text(const CodeFunction& function, const OpcodeNames& opcodes,
                         const Instruction& instruction) {
  const std::string text = instruction_text(function, opcodes, instruction);
  const auto first = text.find('[');
  const auto last = text.find(']', first);
  return last == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string carrier_text(const Wait& wait) {
  switch (wait.kind) {
    case OperandKind::kRegister: return fmt::format("R{}", wait.index);
    case OperandKind::kUniformRegister: return fmt::format("UR{}", wait.index);
    case OperandKind::kPredicate: return fmt::format("P{}", wait.index);
    case OperandKind::kUniformPredicate: return fmt::format("UP{}", wait.index);
    default: return "";
  }
}

AwaitedInstruction awaited_instruction(const CodeFunction& function, const OpcodeNames& opcodes,
                                       const Wait& wait) {
  const Instruction& producer = function.instructions[wait.producer];
  AwaitedInstruction awaited;
  awaited.via = wait.via;
  awaited.opcode = opcodes[producer.opcode];
  awaited.address = producer.address;
  awaited.line = line_text(function, producer);
  if (wait.scoreboard != Control::kNoBarrier) awaited.scoreboard = wait.scoreboard;
  awaited.carrier = carrier_text(wait);
  if (wait.via == Wait::Via::kResult &&
      instruction_class(awaited.opcode) == InstructionClass::kMbarrier) {
    awaited.mbarrier = address_text(function, opcodes, producer);
  }
  return awaited;
}

}  // namespace

std::vector<AwaitedInstruction> awaited_instructions(const CodeFunction& function,
                                                     const OpcodeNames& opcodes,
                                                     std::span<const Wait> waits) {
  std::vector<AwaitedInstruction> all;
  for (const Wait& wait : waits) all.push_back(awaited_instruction(function, opcodes, wait));
  return all;
}

}  // namespace proofline
