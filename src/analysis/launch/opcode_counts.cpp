// SPDX-License-Identifier: Apache-2.0
#include "analysis/launch/opcode_counts.h"

namespace proofline {

OpcodeCounts opcode_counts(const Subject& subject) {
  OpcodeCounts counts;
  for (const std::string_view name : kOpcodeMetrics) {
    const Metric* metric = subject.metric(name);
    if (metric == nullptr || metric->instances == nullptr) continue;
    const auto* opcodes = std::get_if<std::vector<std::string>>(&metric->instances->correlation);
    if (opcodes == nullptr) continue;
    for (std::size_t i = 0; i < opcodes->size(); ++i) {
      const double count = as_number(column_at(metric->instances->values, i)).value_or(0);
      if (count <= 0) continue;
      counts.rows.push_back({(*opcodes)[i], count});
      counts.total += count;
    }
    if (counts.total <= 0) continue;
    counts.metric = name;
    counts.modifiers = name.find("modifier") != std::string_view::npos;
    return counts;
  }
  return {};
}

std::string fact_word(InstructionClass kind) {
  switch (kind) {
    case InstructionClass::kSpecialFunction: return "special-function";
    case InstructionClass::kGlobalLoad:
    case InstructionClass::kGlobalStore:
    case InstructionClass::kGenericLoad:
    case InstructionClass::kGenericStore: return "global";
    case InstructionClass::kSharedLoad:
    case InstructionClass::kSharedStore: return "shared";
    case InstructionClass::kLocalLoad:
    case InstructionClass::kLocalStore: return "local";
    case InstructionClass::kAsyncCopy:
    case InstructionClass::kBulkCopy:
    case InstructionClass::kMbarrier: return "async";
    case InstructionClass::kBranch: return "control";
    default: return std::string(to_string(kind));
  }
}

}  // namespace proofline
