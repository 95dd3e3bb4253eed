// SPDX-License-Identifier: Apache-2.0
//
// Whether a branch sends warps different ways by which they are: its condition depends on the
// thread's index and on constants alone, and is the same for all threads of a warp.
#pragma once

#include <algorithm>
#include <bitset>
#include <cstdint>
#include <optional>
#include <string>

#include "analysis/sass/values.h"

namespace proofline {

// The warps of a block, by number.
using WarpSet = std::bitset<32>;

enum class ChoiceKind : std::uint8_t {
  kNone,     // on anything else: data, the block, a loop's counter
  kLane,     // on the lane: some threads of every warp, ELECT
  kThreads,  // on the thread's index, but not at the bounds of warps: threadIdx.x == 0
  kWarp,
};

// How many threads a block has at most; what the hardware allows where nothing is known.
struct BlockShape {
  std::uint32_t x = 1024;
  std::uint32_t y = 1024;
  std::uint32_t z = 64;
  bool exact = false;  // a launch tells

  // Of launch bounds.
  static BlockShape of_threads(std::uint32_t most) {
    return {std::min(most, 1024U), std::min(most, 1024U), std::min(most, 64U), false};
  }
};

struct WarpChoice {
  ChoiceKind kind = ChoiceKind::kNone;
  std::string taken;      // what holds where the branch is taken: "warp == 8", "tid < 128"
  std::string not_taken;  // the opposite
  // What the thread's index is compared with, as less or more.
  std::optional<std::uint32_t> bound = std::nullopt;
  // Which warps take the branch, and which do not; where a launch tells the block.
  std::optional<WarpSet> taken_by = std::nullopt;
  std::optional<WarpSet> not_taken_by = std::nullopt;
};

// Of a branch, or of an EXIT that some threads pass by. What every thread of such a block does, or
// none, is no choice.
WarpChoice warp_choice(Values& values, std::uint32_t branch, const BlockShape& block);

}  // namespace proofline
