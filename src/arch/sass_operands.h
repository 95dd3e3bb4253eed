// SPDX-License-Identifier: Apache-2.0
//
// The operands of one instruction, as its words in the tables say.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "arch/sass_tables.h"
#include "model/code/listing.h"

namespace proofline {

// The places of a branch's target, in words of four bytes; the widest have their lower eight bits
// elsewhere.
constexpr std::uint32_t kTargetPlace = 34;
constexpr std::uint32_t kSplitTarget = 56;
constexpr std::uint32_t kLowTarget = 8;
constexpr std::uint32_t kLowTargetPlace = 16;

struct SassOperandsRead {
  bool known = true;                    // all that the words say of them
  std::optional<std::uint64_t> target;  // of a relative branch
};

// Adds to `operands`, and to `text` what NVIDIA's disassemblers write; `text` may be null.
SassOperandsRead read_operands(const SassTables& tables, std::span<const SassWord> words,
                               const Encoding& encoding, std::uint64_t address,
                               std::vector<Operand>& operands, std::string* text);

}  // namespace proofline
