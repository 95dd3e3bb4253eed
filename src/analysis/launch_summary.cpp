// SPDX-License-Identifier: Apache-2.0
//
// Which metrics hold the summary's numbers, over all versions of ncu.
#include "analysis/launch_summary.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace proofline {
namespace {

constexpr std::string_view kRatioPrefix = "smsp__average_warps_issue_stalled_";
constexpr std::string_view kRatioSuffix = "_per_issue_active.ratio";
constexpr std::string_view kSamplePrefix = "smsp__pcsamp_warps_issue_stalled_";
constexpr std::string_view kNotIssuedSuffix = "_not_issued";
// Rounding leaves a little more or less than the whole; beyond this a share is really missing.
constexpr double kUnattributedShare = 0.001;

std::vector<MetricId> known(const Profile& profile, std::initializer_list<std::string_view> names) {
  std::vector<MetricId> ids;
  for (const std::string_view name : names) {
    if (const auto id = profile.metric_names.find(name)) ids.push_back(*id);
  }
  return ids;
}

}  // namespace

std::string_view to_string(StallSource source) {
  switch (source) {
    case StallSource::kNone: return "none";
    case StallSource::kCounters: return "counters";
    case StallSource::kSamples: return "samples";
  }
  return "";
}

// Newest name first. The `_sol_pct` names are those of ncu before 2020.2. For L1 the share of
// elapsed cycles comes first: the share of active cycles can exceed 100 %.
Summariser::Summariser(const Profile& profile)
    : duration_(known(profile,
                      {"gpu__time_duration.sum", "gpu__time_duration.avg", "gpu__time_duration"})),
      sm_(known(profile, {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "sm__sol_pct"})),
      l1_(known(profile, {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed",
                          "l1tex__throughput.avg.pct_of_peak_sustained_active", "tex__sol_pct"})),
      l2_(known(profile, {"lts__throughput.avg.pct_of_peak_sustained_elapsed", "ltc__sol_pct",
                          "lts__sol_pct"})),
      dram_(known(profile, {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed",
                            "dram__throughput.avg.pct_of_peak_sustained_elapsed", "dram__sol_pct",
                            "fbpa__sol_pct"})),
      achieved_(known(profile, {"sm__warps_active.avg.pct_of_peak_sustained_active"})),
      theoretical_(known(profile, {"sm__maximum_warps_per_active_cycle_pct"})),
      warp_latency_(known(profile, {"smsp__average_warp_latency_per_inst_issued.ratio"})) {
  for (MetricId id = 0; id < profile.metric_names.size(); ++id) {
    const std::string_view name = profile.metric_names[id].name;
    if (name.starts_with(kRatioPrefix) && name.ends_with(kRatioSuffix)) {
      const auto length = name.size() - kRatioPrefix.size() - kRatioSuffix.size();
      stall_ratios_.push_back({std::string(name.substr(kRatioPrefix.size(), length)), id});
    } else if (name.starts_with(kSamplePrefix) && !name.ends_with(kNotIssuedSuffix)) {
      stall_samples_.push_back({std::string(name.substr(kSamplePrefix.size())), id});
    }
  }
}

LaunchSummary Summariser::summarise(const Launch& launch) const {
  LaunchSummary summary;
  summary.duration_ns = number(launch, duration_);
  summary.sm_percent = number(launch, sm_);
  summary.l1_percent = number(launch, l1_);
  summary.l2_percent = number(launch, l2_);
  summary.dram_percent = number(launch, dram_);
  summary.achieved_occupancy_percent = number(launch, achieved_);
  summary.theoretical_occupancy_percent = number(launch, theoretical_);
  if (add_stalls(launch, stall_ratios_, number(launch, warp_latency_), summary)) {
    summary.stall_source = StallSource::kCounters;
  } else if (add_stalls(launch, stall_samples_, std::nullopt, summary)) {
    summary.stall_source = StallSource::kSamples;
  }
  return summary;
}

std::optional<double> Summariser::number(const Launch& launch, const Alternatives& ids) const {
  for (const MetricId id : ids) {
    const Metric* metric = launch.find(id);
    if (metric == nullptr) continue;
    if (const auto value = as_number(metric->value)) return value;
  }
  return std::nullopt;
}

// `whole` is what the reasons are shares of; absent, their own sum.
bool Summariser::add_stalls(const Launch& launch, const std::vector<StallMetric>& metrics,
                            std::optional<double> whole, LaunchSummary& summary) const {
  std::vector<StallShare> stalls;
  double sum = 0;
  for (const StallMetric& stall : metrics) {
    const Metric* metric = launch.find(stall.id);
    const auto value = metric != nullptr ? as_number(metric->value) : std::nullopt;
    if (!value || *value <= 0) continue;
    stalls.push_back({stall.reason, *value});
    sum += *value;
  }
  const double total = std::max(whole.value_or(sum), sum);
  if (total <= 0) return false;
  for (StallShare& stall : stalls) stall.share /= total;
  if (const double rest = 1 - sum / total; rest > kUnattributedShare) {
    stalls.push_back({"unattributed", rest});
  }
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const StallShare& a, const StallShare& b) { return a.share > b.share; });
  summary.stalls = std::move(stalls);
  return true;
}

}  // namespace proofline
