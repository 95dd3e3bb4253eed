// SPDX-License-Identifier: Apache-2.0
//
// How operands come into shared memory before tensor instructions multiply them: how often threads
// store a tile, how wide, and how long the chains of conversions on the way are.
//
// The scope is the smallest loop around tensor instructions that also fills shared memory, by
// stores or by asynchronous copies; the function, up to its last tensor instruction, where no loop
// does. If such a function copies asynchronously, in another role or before its loops, that is how
// the operands come, and its stores are for other things: they make no pass. Stores of tensor
// instructions' own results do not count. A pass is a group of stores between barriers. Values read
// back from shared memory and stored again make a further pass; other groups are parts of the
// first. What a generic load brought may come from shared memory too. A loop that was unrolled has
// several groups of tensor instructions, and passes are counted for each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/sass/values.h"

namespace proofline {

struct Staging {
  struct WidthCount {
    std::uint32_t width = 0;  // bytes of one thread
    std::uint32_t count = 0;
  };

  std::optional<std::uint32_t> loop;  // in Flow::loops; absent: the function
  std::uint32_t tensor = 0;           // instructions
  std::uint32_t passes = 0;           // of stores, at least
  std::uint32_t async_fills = 0;      // copies that pass by the registers: LDGSTS, UTMALDG, UBLKCP
  std::uint32_t stores = 0;
  std::uint32_t restaged = 0;            // of the stores: values that were read from shared memory
  std::uint32_t maybe_restaged = 0;      // values that generic loads brought
  std::uint32_t result_stores = 0;       // not among the stores
  std::uint32_t shared_loads = 0;        // by threads, for themselves: LDS but not LDSM
  std::vector<WidthCount> store_widths;  // ascending
  std::uint32_t conversions = 0;
  std::uint32_t longest_chain = 0;  // conversions that depend on each other within a block
  std::uint32_t chain_end = Instruction::kNone;  // the last instruction of that chain

  double conversions_per_tensor() const {
    return tensor == 0 ? 0 : static_cast<double>(conversions) / tensor;
  }
};

// By loop, the function last; empty where nothing is multiplied by tensor instructions.
std::vector<Staging> find_staging(Values& values);

// Passes into one tile, by loop: those of the loops that stage and of all loops in and around them,
// which only go over tiles or over parts of one. None where nothing is staged or it is not known.
std::vector<std::optional<std::uint32_t>> passes_by_loop(const std::vector<Staging>& found,
                                                         const Flow& flow);

}  // namespace proofline
