// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/code_stats.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace proofline {
namespace {

class Counter {
 public:
  Counter(const CodeFunction& function, OpcodeTraits& traits)
      : function_(function), traits_(traits) {}

  void add(const FlowBlock& block) {
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Instruction& instruction = function_.instructions[i];
      ++stats_.instructions;
      if (!instruction.guard.always()) ++stats_.predicated;
      ++opcodes_[instruction.opcode];
      // "@!PT LDS RZ, [RZ]" fills a hole that some hardware needs; it loads nothing.
      if (instruction.guard.never()) ++never_[instruction.opcode];
    }
  }

  CodeStats finish() {
    std::map<std::pair<InstructionClass, std::uint32_t>, std::uint32_t> widths;
    for (const auto& [opcode, count] : opcodes_) {
      const OpcodeTrait& trait = traits_[opcode];
      const auto skipped = never_.find(opcode);
      const std::uint32_t never = skipped == never_.end() ? 0 : skipped->second;
      stats_.by_class[static_cast<std::size_t>(trait.kind)] += count - never;
      stats_.by_class[static_cast<std::size_t>(InstructionClass::kOther)] += never;
      if (trait.width > 0 && count > never) widths[{trait.kind, trait.width}] += count - never;
    }
    std::vector<std::pair<OpcodeId, std::uint32_t>> counts(opcodes_.begin(), opcodes_.end());
    std::sort(counts.begin(), counts.end(), [](const auto& a, const auto& b) {
      return std::tie(b.second, a.first) < std::tie(a.second, b.first);
    });
    for (const auto& [opcode, count] : counts) {
      stats_.opcodes.push_back({traits_.names()[opcode], count});
    }
    for (const auto& [key, count] : widths) stats_.widths.push_back({key.first, key.second, count});
    return std::move(stats_);
  }

 private:
  const CodeFunction& function_;
  OpcodeTraits& traits_;
  std::unordered_map<OpcodeId, std::uint32_t> opcodes_;
  std::unordered_map<OpcodeId, std::uint32_t> never_;  // of these: under !PT
  CodeStats stats_;
};

}  // namespace

const OpcodeTrait& OpcodeTraits::operator[](OpcodeId opcode) {
  if (opcode >= traits_.size()) traits_.resize(names_.size());
  OpcodeTrait& trait = traits_[opcode];
  if (!trait.known) trait = {instruction_class(names_[opcode]), access_width(names_[opcode]), true};
  return trait;
}

double CodeStats::mean_width(InstructionClass kind) const {
  std::uint64_t bytes = 0;
  std::uint64_t accesses = 0;
  for (const WidthCount& row : widths) {
    if (row.kind != kind) continue;
    bytes += std::uint64_t{row.width} * row.count;
    accesses += row.count;
  }
  return accesses == 0 ? 0 : static_cast<double>(bytes) / static_cast<double>(accesses);
}

CodeStats count_function(const CodeFunction& function, const Flow& flow, OpcodeTraits& traits) {
  Counter counter(function, traits);
  for (const FlowBlock& block : flow.blocks) {
    if (block.reachable) counter.add(block);
  }
  return counter.finish();
}

CodeStats count_loop(const CodeFunction& function, const Flow& flow, std::uint32_t loop,
                     OpcodeTraits& traits) {
  Counter counter(function, traits);
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
    if (flow.in_loop(block, loop)) counter.add(flow.blocks[block]);
  }
  return counter.finish();
}

CodeStats count_blocks(const CodeFunction& function, const Flow& flow,
                       std::span<const std::uint32_t> blocks, OpcodeTraits& traits) {
  Counter counter(function, traits);
  for (const std::uint32_t block : blocks) counter.add(flow.blocks[block]);
  return counter.finish();
}

}  // namespace proofline
