// SPDX-License-Identifier: Apache-2.0
//
// Which metrics hold the summary's numbers, over all versions of ncu.
#include "analysis/launch/launch_summary.h"

#include "vocabulary/levels.h"
#include "vocabulary/metric_names.h"

namespace proofline {

LaunchSummary summarise(const Profile& profile, const Launch& launch) {
  const Declared nothing;
  const Subject subject{profile, launch, nothing};
  LaunchSummary summary;
  summary.duration_ns = subject.first(kDuration);
  summary.sm_percent = subject.first(kSmThroughput);
  summary.l1_percent = subject.first(kL1Throughput);
  summary.l2_percent = subject.first(kL2Throughput);
  summary.dram_percent = subject.first(level_info(Level::kDram).paths);
  summary.achieved_occupancy_percent = subject.first(kAchievedOccupancy);
  summary.theoretical_occupancy_percent = subject.first(kTheoreticalOccupancy);
  summary.stalls = stall_shares(subject);
  return summary;
}

}  // namespace proofline
