// SPDX-License-Identifier: Apache-2.0
//
// Instructions are aligned by what they are without the names of registers. Which values one reads
// is told by who wrote them last in the order of addresses: that is the same for two functions that
// differ by the names of registers only.
#include "analysis/sass/code_diff.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "analysis/sass/alignment.h"
#include "analysis/sass/flow.h"
#include "analysis/sass/text_skeleton.h"
#include "arch/sass_decoder.h"
#include "base/hash.h"

namespace proofline {
namespace {

struct Canonical {
  std::vector<std::uint64_t> names;  // opcode, immediates, constants: what aligns
  // Who wrote what it reads and where it branches to, each as a position plus one, 0 for none:
  // those of instruction i begin at first_input[i].
  std::vector<std::uint32_t> inputs;
  std::vector<std::uint32_t> first_input = {0};

  std::span<const std::uint32_t> inputs_of(std::size_t i) const {
    return std::span(inputs).subspan(first_input[i], first_input[i + 1] - first_input[i]);
  }
};

bool is_register(OperandKind kind) {
  return kind == OperandKind::kRegister || kind == OperandKind::kUniformRegister ||
         kind == OperandKind::kBarrier || is_predicate(kind);
}

// RZ and PT are values, not names.
bool is_constant(const Operand& operand) {
  const bool predicate = is_predicate(operand.kind);
  return operand.index == (predicate ? Operand::kTrue : Operand::kZero);
}

class Canoniser {
 public:
  Canoniser(const CodeFunction& function, const OpcodeNames& opcodes, bool opcodes_only)
      : function_(function), opcodes_(opcodes), opcodes_only_(opcodes_only) {}

  Canonical canonical(std::size_t count) {
    Canonical form;
    form.names.reserve(count);
    form.first_input.reserve(count + 1);
    for (std::size_t i = 0; i < count; ++i) {
      add(i, form);
      form.first_input.push_back(static_cast<std::uint32_t>(form.inputs.size()));
    }
    return form;
  }

 private:
  static constexpr std::size_t kKinds = 10;
  static constexpr std::size_t kRegisters = 256;

  std::uint32_t& last_writer(OperandKind kind, std::size_t index) {
    return writer_[static_cast<std::size_t>(kind) * kRegisters + index % kRegisters];
  }

  void read(const Operand& operand, Canonical& form) {
    for (std::size_t i = 0; i < operand.count; ++i) {
      form.inputs.push_back(last_writer(operand.kind, operand.index + i));
    }
  }

  void add(std::size_t at, Canonical& form) {
    const Instruction& instruction = function_.instructions[at];
    const auto operands = function_.operands_of(instruction);
    Hash names;
    names.add(opcodes_[instruction.opcode]);
    names.add(instruction.guard.negated ? 1 : 0);
    names.add(instruction.guard.always() ? 1 : 0);
    if (opcodes_only_) {
      form.names.push_back(names.value());
      return;
    }
    if (instruction.text_size > 0) {
      write_skeleton(function_, instruction, skeleton_);
      names.add(skeleton_);
    }
    if (!instruction.guard.always()) read(operand_of(instruction.guard), form);
    // What a return names beside its register is the function itself, as a label or as 0.
    const bool returns = flow_kind(opcodes_[instruction.opcode]) == FlowKind::kReturn;
    for (const Operand& operand : operands) {
      if (returns && !is_register(operand.kind)) continue;
      names.add(static_cast<std::uint64_t>(operand.kind) * 8 +
                static_cast<std::uint64_t>(operand.use) * 2 + (operand.negated ? 1 : 0));
      if (operand.kind == OperandKind::kTarget) continue;
      if (operand.kind == OperandKind::kRelocated) {
        names.add(function_.relocations[static_cast<std::size_t>(operand.value)].what);
        continue;
      }
      names.add(static_cast<std::uint64_t>(operand.value));
      if (!is_register(operand.kind) || is_constant(operand)) {
        names.add(operand.index);
      } else if (operand.use != OperandUse::kWritten) {
        read(operand, form);
      }
    }
    if (instruction.target != Instruction::kNone && !returns) {
      const auto target = function_.at(instruction.target);
      form.inputs.push_back(target ? static_cast<std::uint32_t>(*target + 1) : 0);
      // To where no instruction begins: then only how far it goes can be compared.
      if (!target) names.add(std::uint64_t{instruction.target} - instruction.address);
    }
    for (const Operand& operand : operands) {
      if (operand.use != OperandUse::kWritten || !is_register(operand.kind)) continue;
      for (std::size_t i = 0; i < operand.count; ++i) {
        last_writer(operand.kind, operand.index + i) = static_cast<std::uint32_t>(at + 1);
      }
    }
    form.names.push_back(names.value());
  }

  const CodeFunction& function_;
  const OpcodeNames& opcodes_;
  bool opcodes_only_;
  std::string skeleton_;                                     // of one instruction
  std::array<std::uint32_t, kKinds * kRegisters> writer_{};  // one more than the position
};

// Without the branch to itself and the NOPs that fill the section's end.
std::size_t code_size(const CodeFunction& function, const OpcodeNames& opcodes) {
  std::size_t count = function.instructions.size();
  while (count > 0 && opcodes[function.instructions[count - 1].opcode] == "NOP") --count;
  if (count > 0) {
    const Instruction& last = function.instructions[count - 1];
    const bool halt =
        last.target == last.address && flow_kind(opcodes[last.opcode]) == FlowKind::kBranch;
    if (halt) --count;
  }
  return count;
}

std::vector<std::uint32_t> block_starts(const Flow& flow) {
  std::vector<std::uint32_t> starts;
  starts.reserve(flow.blocks.size());
  for (const FlowBlock& block : flow.blocks) starts.push_back(block.first);
  return starts;
}

// Whether instructions that decode alike differ in bits that neither name a register nor tell the
// scheduler something: what decoding leaves out is not the same.
class BeyondNames {
 public:
  BeyondNames(const CodeFunction& a, const CodeFunction& b) : a_(a), b_(b) {
    const bool bytes = !a.encodings.empty() && !b.encodings.empty();
    if (bytes && sm_number(a.arch) == sm_number(b.arch)) decoder_ = SassDecoder::for_arch(a.arch);
  }

  bool differ(std::size_t i, std::size_t j) const {
    if (!decoder_) return false;
    const Encoding& ours = a_.encodings[i];
    const Encoding& theirs = b_.encodings[j];
    if (ours == theirs) return false;
    const Encoding names = decoder_->renameable_bits(ours);
    return ((ours.low ^ theirs.low) & ~names.low) != 0 ||
           ((ours.high ^ theirs.high) & ~names.high) != 0;
  }

  // Of functions that have the same instructions in the same order.
  std::vector<std::uint32_t> changed(std::size_t count) const {
    std::vector<std::uint32_t> changed;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (differ(i, i)) changed.push_back(i);
    }
    return changed;
  }

 private:
  const CodeFunction& a_;
  const CodeFunction& b_;
  std::optional<SassDecoder> decoder_;
};

// What came and went, by block. A block of A belongs to the block of B that has most of it.
class BlockChanges {
 public:
  BlockChanges(const DiffSide& a, const Canonical& form_a, const DiffSide& b,
               const Canonical& form_b, CodeDiff& diff)
      : a_(a),
        form_a_(form_a),
        b_(b),
        form_b_(form_b),
        beyond_names_(a.code, b.code),
        diff_(diff) {}

  void find() {
    const auto starts_a = block_starts(a_.flow);
    const auto starts_b = block_starts(b_.flow);
    mates_ = align({form_a_.names, starts_a}, {form_b_.names, starts_b});
    diff_.estimated = mates_.capped;
    group_blocks();
    collect();
    find_moves();
    find_rewired();
    count();
  }

 private:
  using Group = std::size_t;  // in groups_

  // Groups are numbered by the blocks of B, then by those of A that are in no other.
  void group_blocks() {
    const std::size_t blocks_b = b_.flow.blocks.size();
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> shared;
    for (std::size_t i = 0; i < mates_.of_a.size(); ++i) {
      if (mates_.of_a[i] == kNoMate) continue;
      ++shared[{a_.flow.block_of[i], b_.flow.block_of[mates_.of_a[i]]}];
    }
    group_of_a_.resize(a_.flow.blocks.size());
    std::vector<std::uint32_t> most(group_of_a_.size());
    for (std::size_t i = 0; i < group_of_a_.size(); ++i) group_of_a_[i] = blocks_b + i;
    for (const auto& [blocks, count] : shared) {
      if (count <= most[blocks.first]) continue;
      most[blocks.first] = count;
      group_of_a_[blocks.first] = blocks.second;
    }
    groups_.resize(blocks_b + group_of_a_.size());
    for (std::uint32_t i = 0; i < blocks_b; ++i) groups_[i].block_b = i;
    for (std::uint32_t i = 0; i < group_of_a_.size(); ++i) {
      BlockDiff& group = groups_[group_of_a_[i]];
      group.block_a = std::min(group.block_a, i);
    }
  }

  // Calls take(a, b) for each instruction and each pair of mates, in the order of the code.
  template <class Take>
  void walk(Take&& take) {
    std::uint32_t i = 0;
    std::uint32_t j = 0;
    while (i < mates_.of_a.size() || j < mates_.of_b.size()) {
      if (i < mates_.of_a.size() && mates_.of_a[i] == kNoMate) {
        take(i++, InstructionDiff::kNone);
      } else if (j < mates_.of_b.size() && mates_.of_b[j] == kNoMate) {
        take(InstructionDiff::kNone, j++);
      } else {
        take(i++, j++);
      }
    }
  }

  void collect() {
    walk([&](std::uint32_t i, std::uint32_t j) {
      if (i == InstructionDiff::kNone) {
        const Group group = b_.flow.block_of[j];
        groups_[group].instructions.push_back({InstructionChange::kAdded, i, j});
      } else if (j == InstructionDiff::kNone) {
        const Group group = group_of_a_[a_.flow.block_of[i]];
        groups_[group].instructions.push_back({InstructionChange::kRemoved, i, j});
      } else {
        // Whether it is rewired shows when all mates are known.
        const Group group = group_of_a_[a_.flow.block_of[i]];
        groups_[group].instructions.push_back({InstructionChange::kRewired, i, j});
      }
    });
  }

  // The same instruction gone and come in one block has moved.
  void find_moves() {
    for (BlockDiff& group : groups_) {
      std::unordered_map<std::uint64_t, std::vector<InstructionDiff*>> added;
      // NOLINTNEXTLINE(modernize-loop-convert): backwards, which clang 14 has no range for
      for (auto one = group.instructions.rbegin(); one != group.instructions.rend(); ++one) {
        if (one->change != InstructionChange::kAdded) continue;
        added[form_b_.names[one->b]].push_back(&*one);
      }
      if (added.empty()) continue;
      for (InstructionDiff& one : group.instructions) {
        if (one.change != InstructionChange::kRemoved) continue;
        const auto found = added.find(form_a_.names[one.a]);
        if (found == added.end() || found->second.empty()) continue;
        InstructionDiff& other = *found->second.back();
        found->second.pop_back();
        one = {InstructionChange::kMoved, one.a, other.b};
        mates_.pair(one.a, one.b);
        other.b = InstructionDiff::kNone;
      }
      std::erase_if(group.instructions, [](const InstructionDiff& one) {
        return one.change == InstructionChange::kAdded && one.b == InstructionDiff::kNone;
      });
    }
  }

  // What reads something that came or went is a consequence of that, and not a change by itself.
  bool is_rewired(std::uint32_t i, std::uint32_t j) const {
    const auto ours = form_a_.inputs_of(i);
    const auto theirs = form_b_.inputs_of(j);
    if (ours.size() != theirs.size()) return true;
    const auto stays = [](std::uint32_t input, const std::vector<std::uint32_t>& mates) {
      return input == 0 || (input <= mates.size() && mates[input - 1] != kNoMate);
    };
    for (std::size_t k = 0; k < ours.size(); ++k) {
      if (!stays(ours[k], mates_.of_a) || !stays(theirs[k], mates_.of_b)) continue;
      const std::uint32_t mate = ours[k] == 0 ? 0 : mates_.of_a[ours[k] - 1] + 1;
      if (mate != theirs[k]) return true;
    }
    return false;
  }

  // Of what both sides have, keeps what is not the same all the same.
  void find_rewired() {
    for (BlockDiff& group : groups_) {
      for (InstructionDiff& one : group.instructions) {
        const bool mates = one.a != InstructionDiff::kNone && one.b != InstructionDiff::kNone;
        if (!mates) continue;
        const bool rewired = is_rewired(one.a, one.b);
        diff_.rewired += rewired ? 1 : 0;
        if (one.change != InstructionChange::kRewired) continue;
        ++diff_.common;
        if (beyond_names_.differ(one.a, one.b)) {
          ++diff_.bytes_changed;
          one.change = InstructionChange::kBytes;
        } else if (!rewired) {
          one.a = one.b = InstructionDiff::kNone;
        }
      }
      std::erase_if(group.instructions, [](const InstructionDiff& one) {
        return one.a == InstructionDiff::kNone && one.b == InstructionDiff::kNone;
      });
    }
  }

  void count() {
    for (BlockDiff& group : groups_) {
      for (const InstructionDiff& one : group.instructions) {
        diff_.removed += one.change == InstructionChange::kRemoved ? 1 : 0;
        diff_.added += one.change == InstructionChange::kAdded ? 1 : 0;
        diff_.moved += one.change == InstructionChange::kMoved ? 1 : 0;
      }
      if (!group.instructions.empty()) diff_.blocks.push_back(std::move(group));
    }
  }

  const DiffSide& a_;
  const Canonical& form_a_;
  const DiffSide& b_;
  const Canonical& form_b_;
  const BeyondNames beyond_names_;
  CodeDiff& diff_;
  Alignment mates_;
  std::vector<Group> group_of_a_;  // by block
  std::vector<BlockDiff> groups_;
};

void compare_control(const CodeFunction& a, const CodeFunction& b, std::size_t count,
                     CodeDiff& diff) {
  diff.control_known = !a.encodings.empty() && !b.encodings.empty();
  if (!diff.control_known) return;
  for (const Encoding& encoding : a.encodings) diff.stall_cycles_a += control_of(encoding).stall;
  for (const Encoding& encoding : b.encodings) diff.stall_cycles_b += control_of(encoding).stall;
  for (std::size_t i = 0; i < count; ++i) {
    if (control_of(a.encodings[i]) != control_of(b.encodings[i])) ++diff.control_changed;
  }
}

bool same_registers(const CodeFunction& a, const CodeFunction& b, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto ours = a.operands_of(a.instructions[i]);
    const auto theirs = b.operands_of(b.instructions[i]);
    const bool same =
        std::equal(ours.begin(), ours.end(), theirs.begin(), theirs.end(),
                   [](const Operand& x, const Operand& y) { return x.index == y.index; });
    if (!same || a.instructions[i].guard != b.instructions[i].guard) return false;
  }
  return true;
}

bool same_texts(const CodeFunction& a, const CodeFunction& b) {
  if (!a.complete || !b.complete || a.instructions.empty() || a.text.empty()) return false;
  return std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), [&](const Instruction& x, const Instruction& y) {
                      return x.guard == y.guard && a.text_of(x) == b.text_of(y);
                    });
}

// Of undecoded code: by position, in one block.
CodeDiff diff_bytes(const CodeFunction& a, const CodeFunction& b) {
  CodeDiff diff;
  diff.sameness = Sameness::kUnknown;
  diff.by_bytes = true;
  BlockDiff changed{0, 0, {}};
  const std::size_t least = std::min(a.encodings.size(), b.encodings.size());
  const std::size_t most = std::max(a.encodings.size(), b.encodings.size());
  for (std::uint32_t i = 0; i < least; ++i) {
    if (a.encodings[i] == b.encodings[i]) continue;
    changed.instructions.push_back({InstructionChange::kBytes, i, i});
  }
  for (auto i = static_cast<std::uint32_t>(least); i < most; ++i) {
    const bool in_a = i < a.encodings.size();
    changed.instructions.push_back({in_a ? InstructionChange::kRemoved : InstructionChange::kAdded,
                                    in_a ? i : InstructionDiff::kNone,
                                    in_a ? InstructionDiff::kNone : i});
  }
  diff.bytes_changed = static_cast<std::uint32_t>(changed.instructions.size());
  if (diff.bytes_changed > 0) diff.blocks.push_back(std::move(changed));
  diff.common = static_cast<std::uint32_t>(most) - diff.bytes_changed;
  if (diff.bytes_changed > 0) {
    diff.sameness = Sameness::kBytesDiffer;
  } else if (a.complete && b.complete && a.arch == b.arch && a.relocations == b.relocations) {
    diff.sameness = Sameness::kIdentical;
    compare_control(a, b, 0, diff);
  }
  return diff;
}

// Blocks of the instructions that differ in their bytes; the two sides have the same blocks.
std::vector<BlockDiff> blocks_of(const std::vector<std::uint32_t>& changed, const Flow& flow) {
  std::vector<BlockDiff> blocks;
  for (const std::uint32_t i : changed) {
    const std::uint32_t block = flow.block_of[i];
    if (blocks.empty() || blocks.back().block_a != block) blocks.push_back({block, block, {}});
    blocks.back().instructions.push_back({InstructionChange::kBytes, i, i});
  }
  return blocks;
}

}  // namespace

std::string_view to_string(InstructionChange change) {
  switch (change) {
    case InstructionChange::kRemoved: return "removed";
    case InstructionChange::kAdded: return "added";
    case InstructionChange::kMoved: return "moved";
    case InstructionChange::kRewired: return "rewired";
    case InstructionChange::kBytes: return "bytes";
  }
  return "";
}

CodeDiff diff_code(const DiffSide& side_a, const DiffSide& side_b, bool decoded) {
  const CodeFunction& a = side_a.code;
  const CodeFunction& b = side_b.code;
  const bool bytes_on_both_sides = !a.encodings.empty() && !b.encodings.empty();
  if (!decoded && bytes_on_both_sides) return diff_bytes(a, b);
  const std::size_t count_a = code_size(a, side_a.opcodes);
  const std::size_t count_b = code_size(b, side_b.opcodes);
  const bool opcodes_only = a.text.empty() != b.text.empty();
  const Canonical form_a = Canoniser(a, side_a.opcodes, opcodes_only).canonical(count_a);
  const Canonical form_b = Canoniser(b, side_b.opcodes, opcodes_only).canonical(count_b);
  CodeDiff diff;
  if (form_a.names == form_b.names && form_a.inputs == form_b.inputs) {
    compare_control(a, b, count_a, diff);
    diff.common = static_cast<std::uint32_t>(count_a);
    diff.sameness = opcodes_only                    ? Sameness::kSameOpcodes
                    : diff.control_changed > 0      ? Sameness::kRescheduled
                    : same_registers(a, b, count_a) ? Sameness::kIdentical
                                                    : Sameness::kRenamed;
    const auto changed = BeyondNames(a, b).changed(count_a);
    diff.bytes_changed = static_cast<std::uint32_t>(changed.size());
    if (diff.bytes_changed > 0) diff.sameness = Sameness::kBytesDiffer;
    diff.blocks = blocks_of(changed, side_a.flow);
    // An unknown opcode may do anything with its operands: only the same text is the
    // same.
    if (!decoded && !same_texts(a, b)) diff.sameness = Sameness::kUnknown;
    return diff;
  }
  BlockChanges(side_a, form_a, side_b, form_b, diff).find();
  compare_control(a, b, 0, diff);
  if (!a.complete || !b.complete) diff.sameness = Sameness::kUnknown;
  return diff;
}

}  // namespace proofline
