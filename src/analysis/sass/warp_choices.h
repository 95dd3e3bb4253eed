// SPDX-License-Identifier: Apache-2.0
//
// Whether a branch sends warps different ways by which they are: its condition depends on the
// thread's index and on constants alone, and is the same for all threads of a warp.
#pragma once

#include <cstdint>
#include <string>

#include "analysis/sass/values.h"

namespace proofline {

enum class ChoiceKind : std::uint8_t {
  kNone,     // on anything else: data, the block, a loop's counter
  kLane,     // on the lane: some threads of every warp, ELECT
  kThreads,  // on the thread's index, but not at the bounds of warps: threadIdx.x == 0
  kWarp,
};

struct WarpChoice {
  ChoiceKind kind = ChoiceKind::kNone;
  std::string taken;      // what holds where the branch is taken: "warp == 8", "tid < 128"
  std::string not_taken;  // the opposite
};

// Of a branch, or of an EXIT that some threads pass by.
WarpChoice warp_choice(Values& values, std::uint32_t branch);

}  // namespace proofline
