// SPDX-License-Identifier: Apache-2.0
//
// Where lanes of warps do nothing: instructions and source lines by the lanes that were inactive
// (divergence, short blocks) or switched off by a predicate while the instruction was executed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/sass/samples.h"
#include "model/code/listing.h"

namespace proofline {

struct LaneCounts {
  std::uint64_t executed = 0;       // by warps
  std::uint64_t active = 0;         // lanes, in all executions
  std::uint64_t predicated_on = 0;  // of them, those whose predicate held

  std::uint64_t all() const;  // lanes that there were
  std::uint64_t lost() const { return all() - predicated_on; }
  double mean_active() const;  // of 32
  double mean_predicated_on() const;

  LaneCounts& operator+=(const LaneCounts& more);
};

// The counts of one instruction; executed is 0 where one of them is missing or cannot be. A branch
// that some lanes do not take loses none of them.
LaneCounts lanes_of(const CodeSamples::Row& row, std::string_view opcode);

struct LostLanes {
  struct Instruction {
    std::uint32_t instruction = 0;
    LaneCounts lanes;
  };
  struct Line {
    std::string line;  // "attention.cu:88"
    LaneCounts lanes;
  };
  LaneCounts function;                    // all of it; executed is 0 where nothing was counted
  std::vector<Instruction> instructions;  // that lose some, most lost first, then by address
  std::vector<Line> lines;                // likewise
};

LostLanes find_lost_lanes(const CodeFunction& function, const OpcodeNames& opcodes,
                          const CodeSamples& samples, std::size_t most);

}  // namespace proofline
