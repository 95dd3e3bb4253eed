// SPDX-License-Identifier: Apache-2.0
//
// What the warps of a launch wait for, as shares that add up to one: from the counters where the
// capture has them, else from PC samples. Spelled as the counters spell the reasons.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"

namespace proofline {

struct StallShare {
  std::string reason;  // "long_scoreboard"
  double share;        // of all warp cycles (counters) or of all samples, 0..1
  std::string metric;
};

enum class StallSource { kNone, kCounters, kSamples };
std::string_view to_string(StallSource source);

struct StallShares {
  StallSource source = StallSource::kNone;
  // Largest first, adding up to one; "selected" is a warp that issued, "unattributed" the rest.
  std::vector<StallShare> shares;
};

StallShares stall_shares(const Subject& subject);

}  // namespace proofline
