// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/hot_loop.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>

#include "arch/mnemonics.h"

namespace proofline {
namespace {

// How often a loop is taken to go round, for want of anything better.
constexpr double kRounds = 10;
// Of a loop's weight, from which on the loop inside it is the hot one.
constexpr double kMostOfIt = 0.8;

enum class Work : std::uint8_t { kNone, kPolls, kWorks, kTensor };

Work work_of(std::string_view opcode) {
  using enum InstructionClass;
  const std::string_view mnemonic = mnemonic_of(opcode);
  switch (instruction_class(opcode)) {
    case kTensor: return Work::kTensor;
    case kMbarrier: return has_part(opcode, "PHASECHK") ? Work::kPolls : Work::kWorks;
    // Asks until tensor memory is free.
    case kTensorMemory: return mnemonic == "UTCATOMSWS" ? Work::kPolls : Work::kWorks;
    case kBranch:
      return mnemonic == "ELECT" || mnemonic == "NANOSLEEP" ? Work::kPolls : Work::kNone;
    case kShuffle:
      // Votes decide where to go; the others carry data.
      return mnemonic.starts_with("VOTE") ? Work::kNone : Work::kWorks;
    case kBarrier: return mnemonic == "WARPSYNC" ? Work::kNone : Work::kWorks;
    case kInteger:
    case kUniform:
    case kMove:
    case kFence:
    case kConstantLoad:
    case kOther: return Work::kNone;
    default: return Work::kWorks;
  }
}

template <class Visit>
void visit_instructions(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes,
                        Visit&& visit) {
  for (const FlowBlock& block : flow.blocks) {
    if (block.loop == kNoLoop) continue;
    for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
      const Instruction& one = function.instructions[i];
      if (!one.guard.never()) visit(block.loop, std::string_view(opcodes[one.opcode]));
    }
  }
}

// The innermost loop around a loop, or itself, that does not poll.
std::uint32_t working_loop(const Flow& flow, std::uint32_t loop, const std::vector<bool>& polling) {
  while (loop != kNoLoop && polling[loop]) loop = flow.loops[loop].parent;
  return loop;
}

}  // namespace

std::vector<bool> find_polling_loops(const CodeFunction& function, const Flow& flow,
                                     const OpcodeNames& opcodes) {
  std::vector<bool> polls(flow.loops.size());
  std::vector<bool> works(flow.loops.size());
  visit_instructions(function, flow, opcodes, [&](std::uint32_t loop, std::string_view opcode) {
    const Work work = work_of(opcode);
    if (work == Work::kPolls) polls[loop] = true;
    if (work >= Work::kWorks) works[loop] = true;
  });
  // Inner loops come after those around them.
  for (std::size_t i = flow.loops.size(); i-- > 0;) {
    const std::uint32_t parent = flow.loops[i].parent;
    if (parent != kNoLoop && works[i]) works[parent] = true;
    if (parent != kNoLoop && polls[i]) polls[parent] = true;
    if (works[i]) polls[i] = false;
  }
  return polls;
}

std::optional<std::uint32_t> hot_loop_by_structure(const CodeFunction& function, const Flow& flow,
                                                   const OpcodeNames& opcodes,
                                                   const std::vector<bool>& polling) {
  struct Sum {
    double tensor = 0;
    double work = 0;
    std::uint32_t instructions = 0;

    auto weight(const FlowLoop& loop) const {
      const double rounds = std::pow(kRounds, std::min(loop.depth, 8U));
      return std::make_tuple(tensor * rounds, work * rounds, instructions * rounds);
    }
  };
  // Of what is in no inner loop that works.
  std::vector<Sum> sums(flow.loops.size());
  visit_instructions(function, flow, opcodes, [&](std::uint32_t innermost, std::string_view name) {
    const std::uint32_t loop = working_loop(flow, innermost, polling);
    if (loop == kNoLoop) return;
    const Work work = work_of(name);
    const InstructionClass kind = instruction_class(name);
    ++sums[loop].instructions;
    if (work == Work::kTensor) ++sums[loop].tensor;
    if (work >= Work::kWorks || kind == InstructionClass::kInteger) ++sums[loop].work;
  });
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < sums.size(); ++i) {
    if (polling[i] || sums[i].instructions == 0) continue;
    if (!best || sums[i].weight(flow.loops[i]) > sums[*best].weight(flow.loops[*best])) best = i;
  }
  return best;
}

std::optional<std::uint32_t> hot_loop_by_weight(const Flow& flow, std::span<const double> blocks,
                                                const std::vector<bool>& polling) {
  std::vector<double> weights(flow.loops.size());
  for (std::size_t i = 0; i < flow.blocks.size(); ++i) {
    const std::uint32_t loop = flow.blocks[i].loop;
    if (loop != kNoLoop && !polling[loop]) weights[loop] += blocks[i];
  }
  for (std::size_t i = flow.loops.size(); i-- > 0;) {
    if (flow.loops[i].parent != kNoLoop) weights[flow.loops[i].parent] += weights[i];
  }
  std::optional<std::uint32_t> best;
  for (std::uint32_t i = 0; i < weights.size(); ++i) {
    if (!polling[i] && weights[i] > 0 && (!best || weights[i] > weights[*best])) best = i;
  }
  if (!best) return best;
  // An inner loop with most of it is what people mean.
  for (std::uint32_t i = *best + 1; i < flow.loops[*best].end; ++i) {
    if (flow.loops[i].parent == *best && weights[i] >= kMostOfIt * weights[*best]) best = i;
  }
  return best;
}

}  // namespace proofline
