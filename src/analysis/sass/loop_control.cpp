// SPDX-License-Identifier: Apache-2.0
#include "analysis/sass/loop_control.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "analysis/sass/definitions.h"
#include "arch/mnemonics.h"

namespace proofline {
namespace {

class LoopControl {
 public:
  LoopControl(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes,
              std::uint32_t loop)
      : function_(function),
        flow_(flow),
        opcodes_(opcodes),
        definitions_(function, flow, opcodes),
        loop_(loop),
        control_(function.instructions.size()),
        reading_(kRegisterSlots) {
    for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
      for_each_slot(i, false, [&](RegisterSlot slot) {
        std::vector<std::uint32_t>& reading = reading_[slot];
        if (reading.empty() || reading.back() != i) reading.push_back(i);
      });
    }
  }

  std::optional<std::uint32_t> count() {
    std::vector<std::uint32_t> others;
    std::uint32_t found = 0;
    for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
      if (!inside(i)) continue;
      control_[i] = kind(i) == InstructionClass::kBranch;
      if (control_[i]) {
        ++found;
      } else if (may_be_control(i)) {
        others.push_back(i);
      }
    }
    for (bool more = true; more && complete_;) {
      const auto rest = std::stable_partition(others.begin(), others.end(), [&](std::uint32_t i) {
        return !is_step(i) && !is_read_by_control(i);
      });
      for (auto i = rest; i != others.end(); ++i) control_[*i] = true;
      found += static_cast<std::uint32_t>(others.end() - rest);
      more = rest != others.end();
      others.erase(rest, others.end());
    }
    return complete_ ? std::optional(found) : std::nullopt;
  }

 private:
  // Of the values of one register: who wrote one, and who reads it.
  using Reads = std::multimap<std::uint32_t, std::uint32_t>;

  bool inside(std::uint32_t i) const { return flow_.in_loop(flow_.block_of[i], loop_); }

  InstructionClass kind(std::uint32_t i) const {
    return instruction_class(opcodes_[function_.instructions[i].opcode]);
  }

  bool may_be_control(std::uint32_t i) const {
    switch (kind(i)) {
      case InstructionClass::kInteger:
      case InstructionClass::kUniform:
      case InstructionClass::kMove:
      case InstructionClass::kFp16:
      case InstructionClass::kFp32:
      case InstructionClass::kFp64:
      case InstructionClass::kShuffle: return true;
      default: return false;
    }
  }

  template <class Visit>
  void for_each_slot(std::uint32_t i, bool written, Visit&& visit) const {
    const Instruction& one = function_.instructions[i];
    for (const Operand& operand : function_.operands_of(one)) {
      if ((operand.use == OperandUse::kWritten) != written) continue;
      for (unsigned k = 0; k < operand.count; ++k) {
        if (const RegisterSlot slot = slot_of(operand, k); slot != kNoSlot) visit(slot);
      }
    }
    if (!written && slot_of(one.guard) != kNoSlot) visit(slot_of(one.guard));
  }

  const Reaching& before(RegisterSlot slot, std::uint32_t i) {
    const auto [found, is_new] = reaching_.try_emplace({slot, i});
    if (is_new) found->second = definitions_.before(slot, i);
    complete_ = complete_ && found->second.complete;
    return found->second;
  }

  // It adds to its own result, and to nothing else that the loop makes.
  bool is_step(std::uint32_t i) {
    const InstructionClass its = kind(i);
    if (its != InstructionClass::kInteger && its != InstructionClass::kUniform) return false;
    bool own = false;
    bool others = false;
    for_each_slot(i, false, [&](RegisterSlot slot) {
      for (const std::uint32_t definition : before(slot, i).definitions) {
        if (!inside(definition)) continue;
        own = own || definition == i;
        others = others || (definition != i && !control_[definition]);
      }
    });
    return own && !others;
  }

  bool is_read_by_control(std::uint32_t i) {
    bool read = false;
    bool otherwise = false;
    for_each_slot(i, true, [&](RegisterSlot slot) {
      const auto [first, last] = readers(slot).equal_range(i);
      for (auto reader = first; reader != last; ++reader) {
        read = true;
        const bool goes_round =
            inside(reader->second) && (control_[reader->second] || reader->second == i);
        otherwise = otherwise || !goes_round;
      }
    });
    return read && !otherwise;
  }

  // Of what a register holds: who wrote it, and who reads that.
  const Reads& readers(RegisterSlot slot) {
    const auto [found, is_new] = readers_.try_emplace(slot);
    if (!is_new) return found->second;
    Reads& reads = found->second;
    for (const std::uint32_t i : reading_[slot]) {
      for (const std::uint32_t definition : before(slot, i).definitions) {
        reads.emplace(definition, i);
      }
    }
    return reads;
  }

  const CodeFunction& function_;
  const Flow& flow_;
  const OpcodeNames& opcodes_;
  Definitions definitions_;
  const std::uint32_t loop_;
  std::vector<bool> control_;  // by instruction
  std::map<std::pair<RegisterSlot, std::uint32_t>, Reaching> reaching_;
  std::vector<std::vector<std::uint32_t>> reading_;  // by slot: who reads it at all
  std::map<RegisterSlot, Reads> readers_;
  bool complete_ = true;
};

}  // namespace

std::optional<std::uint32_t> count_loop_control(const CodeFunction& function, const Flow& flow,
                                                const OpcodeNames& opcodes, std::uint32_t loop) {
  return LoopControl(function, flow, opcodes, loop).count();
}

}  // namespace proofline
