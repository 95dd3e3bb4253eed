// SPDX-License-Identifier: Apache-2.0
//
// The usual backward data flow: what is in use after a block, less what the block overwrites, and
// what it reads, is in use before it. Each set grows at most 256 times, so the work is linear.
#include "analysis/sass/liveness.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace proofline {
namespace {

// The compiler keeps the stack pointer here from the first instruction to the last.
constexpr Operand kStackPointer{OperandKind::kRegister, OperandUse::kRead, 1, false, 1, 0};

class RegisterSet {
 public:
  void add(const Operand& operand) {
    const unsigned end = std::min<unsigned>(operand.index + operand.count, Operand::kZero);
    for (unsigned i = operand.index; i < end; ++i) words_[i / 64] |= std::uint64_t{1} << i % 64;
  }
  // Whether something was new.
  bool add(const RegisterSet& other) {
    std::uint64_t added = 0;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      added |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return added != 0;
  }
  void remove(const RegisterSet& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= ~other.words_[i];
  }
  std::uint16_t size() const {
    int bits = 0;
    for (const std::uint64_t word : words_) bits += std::popcount(word);
    return static_cast<std::uint16_t>(bits);
  }

 private:
  std::array<std::uint64_t, 4> words_{};
};

// What an instruction or a block does to the registers.
struct Effect {
  RegisterSet read;  // before they are written
  RegisterSet written;
  bool always = true;  // false: a guard decides whether they are written

  RegisterSet before(RegisterSet after) const {
    if (always) after.remove(written);
    after.add(read);
    return after;
  }
};

class LivenessSolver {
 public:
  LivenessSolver(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes)
      : function_(function), flow_(flow), opcodes_(opcodes) {}

  Liveness solve() {
    summarise_blocks();
    make_edges();
    sort_edges();
    propagate();
    return count();
  }

 private:
  struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
  };

  // The nodes are the blocks and, after them, one for each root: all places to which the function
  // there returns.
  std::uint32_t returns_of(std::size_t root) const {
    return static_cast<std::uint32_t>(flow_.blocks.size() + root);
  }

  Effect effect_of(const Instruction& instruction) const {
    Effect effect;
    effect.always = instruction.guard.always();
    for (const Operand& operand : function_.operands_of(instruction)) {
      if (operand.kind != OperandKind::kRegister) continue;
      (operand.use == OperandUse::kWritten ? effect.written : effect.read).add(operand);
    }
    return effect;
  }

  bool names_stack_pointer() const {
    return std::any_of(
        function_.operands.begin(), function_.operands.end(), [](const Operand& operand) {
          return operand.kind == kStackPointer.kind && operand.index == kStackPointer.index;
        });
  }

  void summarise_blocks() {
    RegisterSet to_the_end;
    if (names_stack_pointer()) to_the_end.add(kStackPointer);
    after_.assign(flow_.blocks.size() + flow_.roots.size(), to_the_end);
    effects_.resize(after_.size());
    for (std::size_t block = 0; block < flow_.blocks.size(); ++block) {
      Effect& whole = effects_[block];
      const FlowBlock& range = flow_.blocks[block];
      for (std::uint32_t i = range.first + range.count; i-- > range.first;) {
        const Effect effect = effect_of(function_.instructions[i]);
        whole.read = effect.before(whole.read);
        if (effect.always) whole.written.add(effect.written);
      }
    }
  }

  const Instruction& last_of(std::uint32_t block) const {
    const FlowBlock& range = flow_.blocks[block];
    return function_.instructions[range.first + range.count - 1];
  }
  FlowKind kind_of(const Instruction& instruction) const {
    return flow_kind(opcodes_[instruction.opcode]);
  }

  // A call into the section continues there, and comes back after itself by way of that function's
  // returns.
  void make_edges() {
    const auto& roots = flow_.roots;
    std::vector<bool> returns(roots.size());
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (kind_of(last_of(block)) != FlowKind::kReturn) continue;
      const auto next = std::upper_bound(roots.begin(), roots.end(), block);
      const auto root = static_cast<std::size_t>(next - roots.begin()) - 1;
      edges_.push_back({block, returns_of(root)});
      returns[root] = true;
    }
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      const Instruction& last = last_of(block);
      bool goes_on = true;
      if (const auto called = callee(last)) {
        const auto found = std::lower_bound(roots.begin(), roots.end(), *called);
        const auto root = static_cast<std::size_t>(found - roots.begin());
        edges_.push_back({block, *called});
        if (block + 1 < flow_.blocks.size()) edges_.push_back({returns_of(root), block + 1});
        goes_on = !last.guard.always() || !returns[root];
      }
      if (!goes_on) continue;
      for (const FlowEdge& edge : flow_.successors(block)) edges_.push_back({block, edge.to});
    }
  }

  // The block that a call goes to, where a function of the section begins there: one of the roots.
  std::optional<std::uint32_t> callee(const Instruction& call) const {
    if (call.target == Instruction::kNone || kind_of(call) != FlowKind::kCall) return std::nullopt;
    const auto at = function_.at(call.target);
    if (!at) return std::nullopt;
    const std::uint32_t block = flow_.block_of[*at];
    const bool root = std::binary_search(flow_.roots.begin(), flow_.roots.end(), block);
    return root ? std::optional(block) : std::nullopt;
  }

  // By the node that they lead to.
  void sort_edges() {
    first_edge_.assign(after_.size() + 1, 0);
    for (const Edge& edge : edges_) ++first_edge_[edge.to + 1];
    std::partial_sum(first_edge_.begin(), first_edge_.end(), first_edge_.begin());
    std::vector<Edge> sorted(edges_.size());
    std::vector<std::uint32_t> next = first_edge_;
    for (const Edge& edge : edges_) sorted[next[edge.to]++] = edge;
    edges_ = std::move(sorted);
  }

  std::span<const Edge> edges_to(std::uint32_t node) const {
    return std::span(edges_).subspan(first_edge_[node], first_edge_[node + 1] - first_edge_[node]);
  }

  void propagate() {
    std::vector<std::uint32_t> waiting(after_.size());
    for (std::uint32_t node = 0; node < waiting.size(); ++node) waiting[node] = node;
    std::vector<bool> queued(after_.size(), true);
    while (!waiting.empty()) {
      const std::uint32_t node = waiting.back();
      waiting.pop_back();
      queued[node] = false;
      const RegisterSet before = effects_[node].before(after_[node]);
      for (const Edge& edge : edges_to(node)) {
        if (!after_[edge.from].add(before) || queued[edge.from]) continue;
        queued[edge.from] = true;
        waiting.push_back(edge.from);
      }
    }
  }

  Liveness count() const {
    Liveness result;
    result.live.resize(function_.instructions.size());
    for (std::size_t block = 0; block < flow_.blocks.size(); ++block) {
      RegisterSet live = after_[block];
      const FlowBlock& range = flow_.blocks[block];
      for (std::uint32_t i = range.first + range.count; i-- > range.first;) {
        const Effect effect = effect_of(function_.instructions[i]);
        RegisterSet used = live;
        used.add(effect.read);
        used.add(effect.written);
        result.live[i] = used.size();
        live = effect.before(live);
      }
    }
    const auto most = std::max_element(result.live.begin(), result.live.end());
    if (most != result.live.end()) {
      result.most = *most;
      result.most_at = static_cast<std::uint32_t>(most - result.live.begin());
    }
    return result;
  }

  const CodeFunction& function_;
  const Flow& flow_;
  const OpcodeNames& opcodes_;
  std::vector<Effect> effects_;     // of each node
  std::vector<RegisterSet> after_;  // in use after each node
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> first_edge_;  // of those to each node, and one past the last
};

}  // namespace

Liveness live_registers(const CodeFunction& function, const Flow& flow,
                        const OpcodeNames& opcodes) {
  return LivenessSolver(function, flow, opcodes).solve();
}

}  // namespace proofline
