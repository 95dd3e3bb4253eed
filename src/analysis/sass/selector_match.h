// SPDX-License-Identifier: Apache-2.0
//
// Which instructions a pattern's selector means, as far as their names tell.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/sass/expectations.h"
#include "analysis/sass/flow.h"
#include "analysis/sass/pattern.h"
#include "arch/mnemonics.h"
#include "model/code/listing.h"

namespace proofline {

// In this order std::max is "or", std::min is "and".
enum class Truth : std::uint8_t { kNo, kMaybe, kYes };

// The code that a pattern is held against.
struct PatternCode {
  struct Trait {
    InstructionClass kind;
    std::uint32_t width;
  };

  const CodeFunction& function;
  const Flow& flow;
  const OpcodeNames& opcodes;
  const PatternScope& scope;
  // Of this function's opcodes only: a listing may have a million others.
  std::unordered_map<OpcodeId, Trait> traits;

  const Trait& trait(OpcodeId id) {
    const auto found = traits.find(id);
    if (found != traits.end()) return found->second;
    return traits.emplace(id, Trait{instruction_class(opcodes[id]), access_width(opcodes[id])})
        .first->second;
  }
  OpcodeId opcode(std::uint32_t instruction) const {
    return function.instructions[instruction].opcode;
  }
  std::string address(std::uint32_t instruction) const {
    return fmt::format("0x{:04x}", function.instructions[instruction].address);
  }
  // ": 0x0010, 0x0020, ...": the first of so many instructions.
  std::string addresses(const std::vector<std::uint32_t>& instructions, std::uint64_t count) const;
  // The loop's first instruction.
  std::uint32_t header(std::uint32_t loop) const {
    return flow.blocks[flow.loops[loop].header].first;
  }
  bool partial(std::uint32_t instruction) const {
    return instruction < scope.partial.size() && scope.partial[instruction];
  }
  // Bytes that a thread moves; nothing where the name does not tell.
  std::optional<std::uint32_t> width(std::uint32_t instruction) {
    const auto [kind, bytes] = trait(opcode(instruction));
    const bool untold = kind == InstructionClass::kUnknown || kind == InstructionClass::kBulkCopy ||
                        kind == InstructionClass::kTensorMemory ||
                        kind == InstructionClass::kTexture;
    if (untold || partial(instruction)) return std::nullopt;
    return bytes;
  }
};

// Tells for each instruction whether a selector means it.
class SelectorMatcher {
 public:
  // Both must outlive it.
  SelectorMatcher(const Selector& selector, PatternCode& code) : selector_(selector), code_(code) {}

  Truth operator()(std::uint32_t instruction);

  // Listing the instructions would not help then.
  bool means_all() const {
    return selector_.names.size() == 1 && selector_.names[0].kind == InstructionName::Kind::kAll;
  }

 private:
  Truth look_up(OpcodeId opcode);
  Truth look_up(const InstructionName& name, OpcodeId opcode);
  Truth for_this_one(const InstructionName& name, std::uint32_t instruction);

  const Selector& selector_;
  PatternCode& code_;
  std::unordered_map<OpcodeId, Truth> by_opcode_;
};

}  // namespace proofline
