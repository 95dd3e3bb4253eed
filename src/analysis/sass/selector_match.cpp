// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/selector_match.h"

#include <algorithm>
#include <string_view>

#include "analysis/sass/opcode_match.h"

namespace proofline {

std::string PatternCode::addresses(const std::vector<std::uint32_t>& instructions,
                                   std::uint64_t count) const {
  constexpr std::size_t kMost = 8;
  std::string text;
  for (std::size_t i = 0; i < std::min(instructions.size(), kMost); ++i) {
    text += (i == 0 ? ": " : ", ") + address(instructions[i]);
  }
  return count > kMost && !text.empty() ? text + ", ..." : text;
}

Truth SelectorMatcher::operator()(std::uint32_t instruction) {
  const OpcodeId opcode = code_.opcode(instruction);
  const auto known = by_opcode_.find(opcode);
  Truth found = known != by_opcode_.end() ? known->second : look_up(opcode);
  if (found == Truth::kYes) return found;
  for (const InstructionName& name : selector_.names) {
    found = std::max(found, for_this_one(name, instruction));
  }
  return found;
}

// What the opcode alone tells.
Truth SelectorMatcher::look_up(OpcodeId opcode) {
  Truth found = Truth::kNo;
  for (const InstructionName& name : selector_.names) {
    found = std::max(found, look_up(name, opcode));
  }
  return by_opcode_[opcode] = found;
}

Truth SelectorMatcher::look_up(const InstructionName& name, OpcodeId opcode) {
  const InstructionClass kind = code_.trait(opcode).kind;
  const auto or_maybe = [](bool yes, bool maybe) {
    return yes ? Truth::kYes : maybe ? Truth::kMaybe : Truth::kNo;
  };
  switch (name.kind) {
    case InstructionName::Kind::kAll: return Truth::kYes;
    case InstructionName::Kind::kClass:
      return or_maybe(kind == name.instructions, kind == InstructionClass::kUnknown);
    case InstructionName::Kind::kOpcode:
      if (opcode == kUnknownOpcode) return Truth::kMaybe;
      return or_maybe(matches_opcode(name.opcode, code_.opcodes[opcode]), false);
    case InstructionName::Kind::kSpill: return or_maybe(false, kind == InstructionClass::kUnknown);
  }
  return Truth::kNo;
}

// What only this instruction tells: whether it spills, and that its name lacks modifiers.
Truth SelectorMatcher::for_this_one(const InstructionName& name, std::uint32_t instruction) {
  const OpcodeId opcode = code_.opcode(instruction);
  if (name.kind == InstructionName::Kind::kSpill) {
    const InstructionClass kind = code_.trait(opcode).kind;
    if (kind != InstructionClass::kLocalLoad && kind != InstructionClass::kLocalStore) {
      return Truth::kNo;
    }
    if (instruction >= code_.scope.spill.size()) return Truth::kMaybe;
    if (code_.scope.spill[instruction]) return Truth::kYes;
    const auto& unclear = code_.scope.may_spill;
    return instruction < unclear.size() && unclear[instruction] ? Truth::kMaybe : Truth::kNo;
  }
  if (name.kind != InstructionName::Kind::kOpcode || !code_.partial(instruction)) {
    return Truth::kNo;
  }
  const bool same = matches_opcode(mnemonic_of(name.opcode), mnemonic_of(code_.opcodes[opcode]));
  return same ? Truth::kMaybe : Truth::kNo;
}

}  // namespace proofline
