// SPDX-License-Identifier: Apache-2.0
//
// Which instructions may have written what a register holds at some place: definitions that reach
// it along the edges of the flow.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/sass/flow.h"
#include "model/code/listing.h"

namespace proofline {

// Registers and predicates of both datapaths in one numbering.
using RegisterSlot = std::uint16_t;
inline constexpr RegisterSlot kRegisterSlots = 2 * 256 + 2 * 8;
inline constexpr RegisterSlot kNoSlot = ~RegisterSlot{0};

// Of the operand's register, or of one after it; kNoSlot for RZ, PT and operands that are no
// registers.
RegisterSlot slot_of(const Operand& operand, unsigned offset = 0);
// kNoSlot for PT.
RegisterSlot slot_of(const Guard& guard);

struct Reaching {
  std::vector<std::uint32_t> definitions;  // instructions, ascending
  bool from_entry = false;                 // also what the register held when the function began
  bool complete = true;                    // false: there are more, which were not searched

  // The one instruction that has written it; kNone where there are several, or another source.
  std::uint32_t only() const {
    return definitions.size() == 1 && !from_entry && complete ? definitions.front()
                                                              : Instruction::kNone;
  }
};

class Definitions {
 public:
  // All three must outlive it; the operands are completed.
  Definitions(const CodeFunction& function, const Flow& flow, const OpcodeNames& opcodes);

  // What the register may hold when the instruction begins. A guarded write may or may not happen;
  // a call writes what the function that it calls writes.
  Reaching before(RegisterSlot slot, std::uint32_t instruction);

 private:
  using SlotSet = std::vector<bool>;

  template <class Visit>
  void visit_writes(std::uint32_t instruction, Visit&& visit);
  const SlotSet& writes_of_call(const Instruction& call);
  SlotSet writes_from(std::uint32_t root) const;
  void make_index();
  bool search_block(RegisterSlot slot, std::uint32_t first, std::uint32_t end,
                    Reaching& found) const;

  const CodeFunction& function_;
  const Flow& flow_;
  const OpcodeNames& opcodes_;
  bool indexed_ = false;
  std::vector<std::uint32_t> first_;   // of each slot in writes_, and one past the last
  std::vector<std::uint32_t> writes_;  // instructions, ascending for each slot
  struct Callee {
    std::uint32_t root = kNoBlock;
    SlotSet writes;
  };
  std::vector<Callee> callees_;
  std::vector<std::uint32_t> seen_;  // by block: the query that met it last
  std::uint32_t query_ = 0;
  std::size_t budget_;
};

}  // namespace proofline
