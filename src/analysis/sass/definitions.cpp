// SPDX-License-Identifier: Apache-2.0
//
// An index of writes by register makes the search within a block a look-up; between blocks it goes
// backwards along edges. All searches of a function share one budget, so that the work stays linear
// in its size; what is beyond is told as incomplete.
#include "analysis/sass/definitions.h"

#include <algorithm>
#include <numeric>

namespace proofline {
namespace {

constexpr RegisterSlot kUniformBase = 256;
constexpr RegisterSlot kPredicateBase = 512;
constexpr RegisterSlot kUniformPredicateBase = 520;

// Real code writes fewer than two registers an instruction; the index stops paying long before.
constexpr std::size_t kMostWritesEach = 16;
constexpr std::size_t kMostDefinitions = 16;
constexpr std::size_t kMostCallees = 64;
constexpr std::size_t kBlocksSearchedEach = 16;
constexpr std::size_t kBlocksSearchedAlways = 1U << 20U;

// What a function that is elsewhere may overwrite by the calling convention.
constexpr unsigned kScratchRegisters = 16;

}  // namespace

RegisterSlot slot_of(const Operand& operand, unsigned offset) {
  const unsigned index = operand.index + offset;
  const auto slot = [index](RegisterSlot base, unsigned end) {
    return index < end ? static_cast<RegisterSlot>(base + index) : kNoSlot;
  };
  switch (operand.kind) {
    case OperandKind::kRegister: return slot(0, Operand::kZero);
    case OperandKind::kUniformRegister: return slot(kUniformBase, Operand::kZero);
    case OperandKind::kPredicate: return slot(kPredicateBase, Operand::kTrue);
    case OperandKind::kUniformPredicate: return slot(kUniformPredicateBase, Operand::kTrue);
    default: return kNoSlot;
  }
}

RegisterSlot slot_of(const Guard& guard) {
  if (guard.index >= Operand::kTrue) return kNoSlot;
  return static_cast<RegisterSlot>((guard.uniform ? kUniformPredicateBase : kPredicateBase) +
                                   guard.index);
}

Definitions::Definitions(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes)
    : function_(function),
      flow_(flow),
      opcodes_(opcodes),
      seen_(flow.blocks.size()),
      budget_(kBlocksSearchedAlways + kBlocksSearchedEach * flow.blocks.size()) {
  make_index();
}

template <class Visit>
void Definitions::visit_writes(std::uint32_t instruction, Visit&& visit) {
  const Instruction& one = function_.instructions[instruction];
  for (const Operand& operand : function_.operands_of(one)) {
    if (operand.use != OperandUse::kWritten) continue;
    for (unsigned i = 0; i < operand.count; ++i) {
      if (const RegisterSlot slot = slot_of(operand, i); slot != kNoSlot) visit(slot);
    }
  }
  if (flow_kind(opcodes_[one.opcode]) != FlowKind::kCall) return;
  const SlotSet& writes = writes_of_call(one);
  for (RegisterSlot slot = 0; slot < kRegisterSlots; ++slot) {
    if (writes[slot]) visit(slot);
  }
}

const Definitions::SlotSet& Definitions::writes_of_call(const Instruction& call) {
  const auto target = function_.at(call.target);
  const std::uint32_t root = target ? flow_.block_of[*target] : kNoBlock;
  for (const Callee& known : callees_) {
    if (known.root == root) return known.writes;
  }
  // Too many to remember: the last place is for all of them, as if they lay elsewhere.
  if (callees_.size() >= kMostCallees) return callees_.back().writes;
  return callees_.emplace_back(Callee{root, writes_from(root)}).writes;
}

Definitions::SlotSet Definitions::writes_from(std::uint32_t root) const {
  SlotSet writes(kRegisterSlots);
  if (root == kNoBlock || callees_.size() + 1 == kMostCallees) {
    std::fill_n(writes.begin(), kScratchRegisters, true);
    std::fill(writes.begin() + kPredicateBase, writes.end(), true);
    return writes;
  }
  std::vector<bool> met(flow_.blocks.size());
  std::vector<std::uint32_t> todo = {root};
  met[root] = true;
  while (!todo.empty()) {
    const std::uint32_t block = todo.back();
    todo.pop_back();
    const FlowBlock& range = flow_.blocks[block];
    for (std::uint32_t i = range.first; i < range.first + range.count; ++i) {
      for (const Operand& operand : function_.operands_of(function_.instructions[i])) {
        if (operand.use != OperandUse::kWritten) continue;
        for (unsigned k = 0; k < operand.count; ++k) {
          if (const RegisterSlot slot = slot_of(operand, k); slot != kNoSlot) writes[slot] = true;
        }
      }
    }
    for (const FlowEdge& edge : flow_.successors(block)) {
      if (!met[edge.to]) todo.push_back(edge.to);
      met[edge.to] = true;
    }
  }
  return writes;
}

void Definitions::make_index() {
  const auto count = static_cast<std::uint32_t>(function_.instructions.size());
  first_.assign(kRegisterSlots + 1, 0);
  std::size_t total = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    visit_writes(i, [&](RegisterSlot slot) {
      ++first_[slot + 1];
      ++total;
    });
    if (total > kMostWritesEach * count + kRegisterSlots) return;
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  writes_.resize(total);
  std::vector<std::uint32_t> next = first_;
  for (std::uint32_t i = 0; i < count; ++i) {
    visit_writes(i, [&](RegisterSlot slot) { writes_[next[slot]++] = i; });
  }
  indexed_ = true;
}

// Collects writes from the last backwards, up to one that happens always; says whether it met one.
bool Definitions::search_block(RegisterSlot slot, std::uint32_t first, std::uint32_t end,
                               Reaching& found) const {
  const auto begin = writes_.begin() + first_[slot];
  auto at = std::lower_bound(begin, writes_.begin() + first_[slot + 1], end);
  while (at != begin && *--at >= first) {
    if (found.definitions.size() == kMostDefinitions) {
      found.complete = false;
      return true;
    }
    found.definitions.push_back(*at);
    if (function_.instructions[*at].guard.always()) return true;
  }
  return false;
}

Reaching Definitions::before(RegisterSlot slot, std::uint32_t instruction) {
  Reaching found;
  if (!indexed_ || slot >= kRegisterSlots) {
    found.complete = false;
    return found;
  }
  const std::uint32_t start = flow_.block_of[instruction];
  std::vector<std::uint32_t> todo;
  ++query_;
  const auto leave_upwards = [&](std::uint32_t block) {
    const auto incoming = flow_.predecessors(block);
    const bool root = std::binary_search(flow_.roots.begin(), flow_.roots.end(), block);
    if (root || incoming.empty()) found.from_entry = true;
    for (const FlowEdge& edge : incoming) {
      if (seen_[edge.from] == query_ || !flow_.blocks[edge.from].reachable) continue;
      seen_[edge.from] = query_;
      todo.push_back(edge.from);
    }
  };
  if (!search_block(slot, flow_.blocks[start].first, instruction, found)) leave_upwards(start);
  while (!todo.empty() && found.complete) {
    const std::uint32_t block = todo.back();
    todo.pop_back();
    if (budget_ == 0) {
      found.complete = false;
      break;
    }
    --budget_;
    const FlowBlock& range = flow_.blocks[block];
    if (!search_block(slot, range.first, range.first + range.count, found)) leave_upwards(block);
  }
  auto& all = found.definitions;
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return found;
}

}  // namespace proofline
