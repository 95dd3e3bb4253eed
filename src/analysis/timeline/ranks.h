// SPDX-License-Identifier: Apache-2.0
//
// Several ranks of one job side by side. Their clocks differ, so they are aligned by the ends of
// collectives, which all ranks leave at about the same time; what a rank waits for is the last one
// to come.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/timeline/timeline_report.h"
#include "model/timeline/timeline.h"

namespace proofline {

// The collectives of a rank, in the order of their start.
struct RankCollective {
  std::string key;  // what is the same on all ranks
  std::int64_t start_ns = 0;
  std::int64_t end_ns = 0;
};

std::vector<RankCollective> collectives_of(const Timeline& timeline);

// Fills what is known of each rank by comparison; as many as there are rows.
void compare_ranks(const std::vector<std::vector<RankCollective>>& collectives,
                   std::vector<RankRow>& rows);

// The straggler: the rank that arrives last most often. Null: no rank waits.
const RankRow* straggler(const std::vector<RankRow>& rows);

}  // namespace proofline
