// SPDX-License-Identifier: Apache-2.0
//
// The few numbers that say at a glance where one launch stands: its time, how near each level is to
// its peak, occupancy, and what its warps wait for. Absent where the capture does not have them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/profile.h"

namespace proofline {

struct StallShare {
  std::string reason;  // "long_scoreboard"
  double share;        // of all warp cycles (counters) or of all samples, 0..1
};

enum class StallSource { kNone, kCounters, kSamples };
std::string_view to_string(StallSource source);

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
  StallSource stall_source = StallSource::kNone;
  // Largest first, adding up to one; "selected" is a warp that issued, "unattributed" the rest.
  std::vector<StallShare> stalls;
};

// Metric names are looked up once for a profile, not once for a launch.
class Summariser {
 public:
  explicit Summariser(const Profile& profile);
  LaunchSummary summarise(const Launch& launch) const;

 private:
  struct StallMetric {
    std::string reason;
    MetricId id;
  };
  // The first of several names that this profile has; ncu renamed some over the years.
  using Alternatives = std::vector<MetricId>;

  std::optional<double> number(const Launch& launch, const Alternatives& ids) const;
  bool add_stalls(const Launch& launch, const std::vector<StallMetric>& metrics,
                  std::optional<double> whole, LaunchSummary& summary) const;

  Alternatives duration_, sm_, l1_, l2_, dram_, achieved_, theoretical_, warp_latency_;
  std::vector<StallMetric> stall_ratios_;
  std::vector<StallMetric> stall_samples_;
};

}  // namespace proofline
