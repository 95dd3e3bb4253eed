// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/comparison/changed_blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

#include "analysis/sass/operands.h"
#include "arch/mnemonics.h"

namespace proofline {
namespace {

// One function, with what was measured in it.
class BlockTeller {
 public:
  BlockTeller(const CodeSide& side, std::size_t function)
      : opcodes_(side.report.opcodes),
        report_(side.report.functions[function]),
        code_(side.functions[function].code),
        flow_(side.functions[function].flow) {}

  std::optional<ChangedBlock::Side> block(std::uint32_t number) const {
    if (number >= flow_.blocks.size()) return std::nullopt;
    const FlowBlock& block = flow_.blocks[number];
    ChangedBlock::Side side;
    side.address = code_.instructions[block.first].address;
    if (block.loop != kNoLoop) {
      const FlowLoop& loop = flow_.loops[block.loop];
      side.loop = code_.instructions[flow_.blocks[loop.header].first].address;
      side.depth = loop.depth;
    }
    if (report_.hot_loop) {
      side.hot = flow_.in_loop(number, static_cast<std::uint32_t>(*report_.hot_loop));
    }
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const std::string& opcode = opcodes_[code_.instructions[i].opcode];
      side.tensor = side.tensor || instruction_class(opcode) == InstructionClass::kTensor;
    }
    if (report_.hot) side.samples = report_.hot->blocks[number];
    return side;
  }

  std::optional<ChangedInstruction::Side> instruction(const InstructionDiff& diff,
                                                      std::uint32_t number, bool as_bytes) const {
    if (number == InstructionDiff::kNone) return std::nullopt;
    ChangedInstruction::Side side;
    side.address = code_.instructions[number].address;
    if (!as_bytes) side.text = instruction_text(code_, opcodes_, code_.instructions[number]);
    if (as_bytes || diff.change == InstructionChange::kBytes) {
      const Encoding& bytes = code_.encodings[number];
      side.text += fmt::format("{}{:016x} {:016x}", as_bytes ? "" : "  ", bytes.high, bytes.low);
    }
    if (report_.hot && report_.hot->samples > 0) {
      side.samples = static_cast<double>(report_.hot->instructions[number]) /
                     static_cast<double>(report_.hot->samples);
    }
    return side;
  }

 private:
  const OpcodeNames& opcodes_;
  const FunctionReport& report_;
  const CodeFunction& code_;
  const Flow& flow_;
};

double larger(const std::optional<double>& a, const std::optional<double>& b) {
  return std::max(a.value_or(0), b.value_or(0));
}

template <class Side>
double larger_share(const std::optional<Side>& a, const std::optional<Side>& b) {
  return larger(a ? a->samples : std::nullopt, b ? b->samples : std::nullopt);
}

auto rank(const ChangedBlock& block) {
  const auto either = [&](auto&& member) {
    return std::max(block.a ? member(*block.a) : 0U, block.b ? member(*block.b) : 0U);
  };
  const auto tensor = either([](const ChangedBlock::Side& side) { return side.tensor ? 1U : 0U; });
  const auto depth = either([](const ChangedBlock::Side& side) { return side.depth; });
  return std::make_tuple(block.samples(), block.hot(), tensor, depth);
}

}  // namespace

double ChangedInstruction::samples() const { return larger_share(a, b); }
double ChangedBlock::samples() const { return larger_share(a, b); }

std::size_t ChangedBlock::count(InstructionChange change) const {
  const auto number =
      std::count_if(instructions.begin(), instructions.end(),
                    [&](const ChangedInstruction& one) { return one.change == change; });
  return static_cast<std::size_t>(number);
}

std::vector<ChangedBlock> changed_blocks(const CodeSide& a, const CodeSide& b,
                                         const FunctionComparison& pair) {
  const BlockTeller teller_a(a, pair.a);
  const BlockTeller teller_b(b, pair.b);
  std::vector<ChangedBlock> blocks;
  blocks.reserve(pair.diff.blocks.size());
  for (const BlockDiff& diff : pair.diff.blocks) {
    ChangedBlock& block = blocks.emplace_back();
    block.a = teller_a.block(diff.block_a);
    block.b = teller_b.block(diff.block_b);
    for (const InstructionDiff& one : diff.instructions) {
      block.instructions.push_back({one.change,
                                    teller_a.instruction(one, one.a, pair.diff.by_bytes),
                                    teller_b.instruction(one, one.b, pair.diff.by_bytes)});
    }
  }
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const ChangedBlock& x, const ChangedBlock& y) { return rank(x) > rank(y); });
  return blocks;
}

}  // namespace proofline
