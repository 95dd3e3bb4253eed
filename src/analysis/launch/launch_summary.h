// SPDX-License-Identifier: Apache-2.0
//
// The few numbers that summarise one launch: its time, how busy each level is, occupancy, and what
// its warps wait for. Absent where the capture does not have them.
#pragma once

#include <optional>
#include <vector>

#include "analysis/launch/stall_shares.h"
#include "model/profile/profile.h"

namespace proofline {

struct LaunchSummary {
  // Under ncu's replay, with its cache and clock control: not wall time.
  std::optional<double> duration_ns;
  // Percent of peak, by ncu's own throughput metrics.
  std::optional<double> sm_percent;
  std::optional<double> l1_percent;
  std::optional<double> l2_percent;
  std::optional<double> dram_percent;
  // Percent of the warps an SM can hold.
  std::optional<double> achieved_occupancy_percent;
  std::optional<double> theoretical_occupancy_percent;
  StallShares stalls;
};

LaunchSummary summarise(const Profile& profile, const Launch& launch);

}  // namespace proofline
