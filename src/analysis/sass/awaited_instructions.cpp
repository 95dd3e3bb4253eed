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

std::string words_of_wait(const AwaitedInstruction& awaited) {
  switch (awaited.via) {
    case Wait::Via::kResult: break;
    case Wait::Via::kOperands: return "waits until operands are read by the";
    case Wait::Via::kGroup: return "waits on the group of the";
    case Wait::Via::kWarps: return "waits for other warps at the";
    case Wait::Via::kMemory: return "waits for its own memory accesses at the";
  }
  if (awaited.mbarrier.empty()) return "waits on the";
  return fmt::format("waits on the mbarrier {}:", awaited.mbarrier);
}

}  // namespace

std::vector<AwaitedInstruction> awaited_instructions(const CodeFunction& function,
                                                     const OpcodeNames& opcodes,
                                                     std::span<const Wait> waits) {
  std::vector<AwaitedInstruction> all;
  for (const Wait& wait : waits) all.push_back(awaited_instruction(function, opcodes, wait));
  return all;
}

std::string wait_details(std::span<const AwaitedInstruction> waits) {
  const AwaitedInstruction& first = waits.front();
  std::string text = first.line.empty() ? "" : ", " + first.line;
  for (std::size_t i = 0; i < first.arrivals.size(); ++i) {
    text += fmt::format("{}{:#06x}", i == 0 ? ", which is ended at " : ", ", first.arrivals[i]);
  }
  if (waits.size() > 1) text += fmt::format(", and {} more", waits.size() - 1);
  return text;
}

std::string wait_text(std::span<const AwaitedInstruction> waits, std::string_view not_known) {
  if (waits.empty() && !not_known.empty()) return fmt::format("producer not known: {}", not_known);
  if (waits.empty()) return "";
  const AwaitedInstruction& first = waits.front();
  return fmt::format("{} {} at {:#06x}{}", words_of_wait(first), first.opcode, first.address,
                     wait_details(waits));
}

}  // namespace proofline
