// SPDX-License-Identifier: Apache-2.0
//
// Collective operations by what they are, with the bandwidth that they reach. The bus bandwidth is
// that of NCCL's own tests: what each link has to carry, so that it can be held against the link's
// rate however many ranks there are. A kernel of a collective also waits for the last rank to come,
// so the best of several tells most.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/timeline/launches.h"
#include "analysis/timeline/tables.h"
#include "analysis/timeline/time_selection.h"
#include "model/timeline/timeline.h"

namespace proofline {

struct CollectiveTimes {
  std::string name;         // "allreduce"
  std::string group;        // of processes; "" not known
  std::uint32_t ranks = 0;  // in it; 0: not known
  CopySize size = CopySize::kSmall;
  std::uint64_t count = 0;
  std::int64_t sum_ns = 0;
  std::optional<std::uint64_t> bytes = 0;  // of the messages; none where one does not tell
  // GB/s of the bus; none where size, ranks or the kind of the collective are not known.
  std::optional<double> median_rate;
  std::optional<double> best_rate;
};

// The longest in total first. Kernels whose collective is not told, by themselves or by the
// operator that launched them, are left out.
std::vector<CollectiveTimes> collective_times(const Timeline& timeline, const Launches& launches,
                                              const TimeSelection& selection = {});

// What the bus carries of each byte of a message; none where the collective is not known.
std::optional<double> bus_factor(std::string_view collective, std::uint32_t ranks);

}  // namespace proofline
