// SPDX-License-Identifier: Apache-2.0
//
// Whether two functions are the same code, whatever names their registers have and wherever they
// lie; and where they are not, which instructions came and went, block by block.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/sass/flow.h"
#include "model/code/listing.h"
#include "model/code/sameness.h"

namespace proofline {

enum class InstructionChange : std::uint8_t {
  kRemoved,  // only in A
  kAdded,    // only in B
  kMoved,    // elsewhere in the same block
  kRewired,  // reads the result of another instruction, or branches to another one
  kBytes,    // the same opcode, but bytes differ that neither name registers nor schedule
};
std::string_view to_string(InstructionChange change);

struct InstructionDiff {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  InstructionChange change = InstructionChange::kRemoved;
  std::uint32_t a = kNone;  // instructions
  std::uint32_t b = kNone;
};

// What changed in a block of A and those of B that it became; only where something did.
struct BlockDiff {
  std::uint32_t block_a = kNoBlock;  // kNoBlock: only B has it
  std::uint32_t block_b = kNoBlock;
  std::vector<InstructionDiff> instructions;  // in the order of the code
};

struct CodeDiff {
  Sameness sameness = Sameness::kDifferent;
  std::uint32_t common = 0;       // instructions that both have, in the same order
  std::uint32_t removed = 0;      // only in A
  std::uint32_t added = 0;        // only in B
  std::uint32_t moved = 0;        // in both, elsewhere in the same block
  std::uint32_t rewired = 0;      // of the common and the moved: read or go elsewhere
  bool estimated = false;         // a part is too different to be aligned: all of it came and went
  std::vector<BlockDiff> blocks;  // in the order of the code
  // Control bits where the instructions are the same; absent encodings: no word on it.
  bool control_known = false;
  std::uint32_t control_changed = 0;
  std::uint64_t stall_cycles_a = 0;  // summed over the instructions as they lie
  std::uint64_t stall_cycles_b = 0;
  // Whether bytes alone were compared, and how many instructions differ in theirs.
  bool by_bytes = false;
  std::uint32_t bytes_changed = 0;

  // Instructions that are not the same on both sides.
  std::uint32_t changed() const { return removed + added + moved + rewired + bytes_changed; }
};

// One side; what it names must outlive the call.
struct DiffSide {
  const CodeFunction& code;
  const Flow& flow;
  const OpcodeNames& opcodes;
};

// `decoded`: both sides were read and every opcode named. Otherwise only bytes can tell.
CodeDiff diff_code(const DiffSide& a, const DiffSide& b, bool decoded = true);

}  // namespace proofline
