// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/flow.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "analysis/sass/flow_loops.h"
#include "arch/mnemonics.h"

namespace proofline {
namespace {

// Whether a branch, call, return or exit is taken always: no guard, no predicate among its operands
// (BRA.U UP0, JMP.U UP0, BRXU), and no modifier that asks whether threads diverge.
bool always_taken(const CodeFunction& function, const Instruction& branch,
                  std::string_view opcode) {
  if (!branch.guard.always()) return false;
  if (has_part(opcode, "DIV") || has_part(opcode, "CONV")) return false;
  bool predicated = false;
  for (const Operand& operand : function.operands_of(branch)) {
    if (!is_predicate(operand.kind)) continue;
    if (operand.index != Operand::kTrue || operand.negated) return false;
    predicated = true;
  }
  // The uniform form always asks a predicate: where none was read, it may be any.
  return predicated || !has_part(opcode, "U");
}

class FlowBuilder {
 public:
  FlowBuilder(const CodeFunction& function, const OpcodeNames& opcodes, const FlowDoubts& doubts)
      : function_(function),
        opcodes_(opcodes),
        doubts_(doubts),
        leader_(function.instructions.size()) {
    flow_.in_doubt = doubts.any_branch;
  }

  Flow build() {
    if (function_.instructions.empty()) {
      flow_.first_edge = flow_.first_incoming = {0};
      return std::move(flow_);
    }
    mark_leaders();
    make_blocks();
    make_edges();
    sort_incoming();
    find_roots();
    find_loops(flow_);
    return std::move(flow_);
  }

 private:
  FlowKind kind(const Instruction& instruction) const {
    return flow_kind(opcodes_[instruction.opcode]);
  }

  bool partial(std::size_t instruction) const {
    return doubts_.partial != nullptr && instruction < doubts_.partial->size() &&
           (*doubts_.partial)[instruction];
  }

  void mark(std::uint64_t address) {
    if (const auto at = function_.at(address)) {
      leader_[*at] = true;
    } else {
      ++flow_.dangling;
    }
  }

  const CodeFunction::BranchTargets* targets_of(const Instruction& branch) const {
    const auto& tables = function_.branch_targets;
    const auto found =
        std::lower_bound(tables.begin(), tables.end(), branch.address,
                         [](const auto& table, auto address) { return table.address < address; });
    return found != tables.end() && found->address == branch.address ? &*found : nullptr;
  }

  void mark_leaders() {
    const auto& instructions = function_.instructions;
    leader_[0] = true;
    for (const auto& inner : function_.inner) mark(inner.address);
    for (std::size_t i = 0; i < instructions.size(); ++i) {
      if (instructions[i].target != Instruction::kNone) mark(instructions[i].target);
      const FlowKind flow = kind(instructions[i]);
      if (flow == FlowKind::kNone) continue;
      if (i + 1 < instructions.size()) leader_[i + 1] = true;
      if (flow != FlowKind::kIndirect) continue;
      if (const auto* table = targets_of(instructions[i])) {
        for (const std::uint32_t target : table->targets) mark(target);
      } else {
        ++flow_.indirect_unknown;
      }
    }
  }

  void make_blocks() {
    flow_.block_of.resize(leader_.size());
    for (std::uint32_t i = 0; i < leader_.size(); ++i) {
      if (leader_[i]) flow_.blocks.emplace_back().first = i;
      ++flow_.blocks.back().count;
      flow_.block_of[i] = static_cast<std::uint32_t>(flow_.blocks.size() - 1);
    }
  }

  // Compilers also leave a loop by a guarded call to a place of the same function. A listing need
  // not tell where functions begin, so a call without a guard is taken for a real one.
  bool calls_function(const Instruction& call) const {
    if (call.guard.always() || call.target == function_.instructions.front().address) return true;
    const auto& inner = function_.inner;
    const auto found =
        std::lower_bound(inner.begin(), inner.end(), call.target,
                         [](const auto& one, auto address) { return one.address < address; });
    return found != inner.end() && found->address == call.target;
  }

  void add_edge(std::uint32_t from, std::uint64_t address, EdgeKind edge) {
    if (const auto at = function_.at(address)) {
      flow_.edges.push_back({from, flow_.block_of[*at], edge});
    }
  }

  void make_edges() {
    const auto count = static_cast<std::uint32_t>(flow_.blocks.size());
    for (std::uint32_t block = 0; block < count; ++block) {
      flow_.first_edge.push_back(static_cast<std::uint32_t>(flow_.edges.size()));
      const std::uint32_t end = flow_.blocks[block].first + flow_.blocks[block].count;
      const Instruction& last = function_.instructions[end - 1];
      const FlowKind flow = kind(last);
      const bool branches = flow == FlowKind::kBranch || flow == FlowKind::kIndirect;
      const bool goes_on = flow == FlowKind::kNone || flow == FlowKind::kCall ||
                           (branches && partial(end - 1)) ||
                           !always_taken(function_, last, opcodes_[last.opcode]);
      const bool jumps =
          flow == FlowKind::kCall && last.target != Instruction::kNone && !calls_function(last);
      if (jumps) add_edge(block, last.target, EdgeKind::kTaken);
      if (flow == FlowKind::kBranch) {
        const bool taken = last.target != Instruction::kNone && !last.guard.never();
        if (taken) add_edge(block, last.target, EdgeKind::kTaken);
      }
      if (flow == FlowKind::kIndirect) {
        if (const auto* table = targets_of(last)) {
          for (const std::uint32_t target : table->targets) {
            add_edge(block, target, EdgeKind::kIndirect);
          }
        }
      }
      if (goes_on && block + 1 < count) {
        flow_.edges.push_back({block, block + 1, EdgeKind::kFallThrough});
      }
    }
    flow_.first_edge.push_back(static_cast<std::uint32_t>(flow_.edges.size()));
  }

  void sort_incoming() {
    flow_.first_incoming.assign(flow_.blocks.size() + 1, 0);
    for (const FlowEdge& edge : flow_.edges) ++flow_.first_incoming[edge.to + 1];
    for (std::size_t i = 1; i < flow_.first_incoming.size(); ++i) {
      flow_.first_incoming[i] += flow_.first_incoming[i - 1];
    }
    flow_.incoming.resize(flow_.edges.size());
    std::vector<std::uint32_t> next = flow_.first_incoming;
    for (const FlowEdge& edge : flow_.edges) flow_.incoming[next[edge.to]++] = edge;
  }

  void find_roots() {
    flow_.roots = {0};
    const auto add = [&](std::uint64_t address) {
      if (const auto at = function_.at(address)) flow_.roots.push_back(flow_.block_of[*at]);
    };
    for (const auto& inner : function_.inner) add(inner.address);
    for (const Instruction& one : function_.instructions) {
      const bool call = one.target != Instruction::kNone && kind(one) == FlowKind::kCall;
      if (call && calls_function(one)) add(one.target);
    }
    if (flow_.indirect_unknown > 0 || doubts_.any_branch) add_unreached();
    std::sort(flow_.roots.begin(), flow_.roots.end());
    flow_.roots.erase(std::unique(flow_.roots.begin(), flow_.roots.end()), flow_.roots.end());
  }

  // An indirect branch without a table, or what may be a branch, may go to any block that nothing
  // else leads to, except the padding after the code.
  void add_unreached() {
    for (std::uint32_t block = 0; block < flow_.blocks.size(); ++block) {
      if (!flow_.predecessors(block).empty()) continue;
      const FlowBlock& one = flow_.blocks[block];
      const auto first = function_.instructions.begin() + one.first;
      const bool padding = std::all_of(first, first + one.count, [&](const Instruction& i) {
        return opcodes_[i.opcode] == "NOP";
      });
      if (!padding) flow_.roots.push_back(block);
    }
  }

  const CodeFunction& function_;
  const OpcodeNames& opcodes_;
  const FlowDoubts& doubts_;
  std::vector<bool> leader_;
  Flow flow_;
};

}  // namespace

FlowKind flow_kind(std::string_view opcode) {
  // Nearly all opcodes leave at the first letter.
  switch (opcode.front()) {
    case 'B': {
      if (opcode.starts_with("BRA") && (opcode.size() == 3 || opcode[3] == '.')) {
        return FlowKind::kBranch;
      }
      if (opcode.starts_with("BRX")) return FlowKind::kIndirect;
      return opcode.starts_with("BPT.TRAP") ? FlowKind::kTrap : FlowKind::kNone;
    }
    case 'J':
      if (opcode.starts_with("JMP")) return FlowKind::kBranch;
      return opcode.starts_with("JMX") ? FlowKind::kIndirect : FlowKind::kNone;
    case 'C': return opcode.starts_with("CALL") ? FlowKind::kCall : FlowKind::kNone;
    case 'R':
      if (opcode.starts_with("RET") && (opcode.size() == 3 || opcode[3] == '.')) {
        return FlowKind::kReturn;
      }
      return opcode == "RTT" ? FlowKind::kExit : FlowKind::kNone;
    case 'E': return opcode.starts_with("EXIT") ? FlowKind::kExit : FlowKind::kNone;
    case 'K': return opcode.starts_with("KILL") ? FlowKind::kExit : FlowKind::kNone;
    default: return FlowKind::kNone;
  }
}

Flow build_flow(const CodeFunction& function, const OpcodeNames& opcodes,
                const FlowDoubts& doubts) {
  return FlowBuilder(function, opcodes, doubts).build();
}

std::vector<std::uint32_t> forward_order(const Flow& flow) {
  struct Open {
    std::uint32_t block;
    std::uint32_t next;  // edge
  };
  std::vector<std::uint32_t> order;
  std::vector<bool> seen(flow.blocks.size());
  std::vector<Open> open;
  const auto enter = [&](std::uint32_t block) {
    if (seen[block]) return;
    seen[block] = true;
    open.push_back({block, flow.first_edge[block]});
  };
  for (const std::uint32_t root : flow.roots) {
    enter(root);
    while (!open.empty()) {
      Open& top = open.back();
      if (top.next < flow.first_edge[top.block + 1]) {
        enter(flow.edges[top.next++].to);
      } else {
        order.push_back(top.block);
        open.pop_back();
      }
    }
  }
  std::reverse(order.begin(), order.end());
  for (std::uint32_t block = 0; block < flow.blocks.size(); ++block) {
    if (!seen[block]) order.push_back(block);
  }
  return order;
}

}  // namespace proofline
