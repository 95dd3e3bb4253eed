// SPDX-License-Identifier: Apache-2.0
//
// A stall share is that reason's cycles over all warp cycles. ncu's counters are warps per issued
// instruction, so the whole is the warp latency per issued instruction.
#include "analysis/launch/stall_shares.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "vocabulary/stall_reasons.h"

namespace proofline {
namespace {

struct Family {
  std::string_view prefix;
  std::string_view suffix;
};

constexpr Family kCounters{"smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"};
// Of GPUs before cc 7.0, by ncu before 2020.2.
constexpr Family kOldCounters{"smsp__warp_cycles_per_issue_stall_", ""};
constexpr Family kSamples{"smsp__pcsamp_warps_issue_stalled_", ""};
constexpr std::string_view kNotIssued = "_not_issued";
// Cycles between two issues of a warp, by the names that they have had.
constexpr std::string_view kWarpLatency[] = {"smsp__average_warp_latency_per_inst_issued.ratio",
                                             "smsp__average_warps_active_per_issue_active.ratio",
                                             "smsp__warp_cycles_per_issue_active"};
constexpr double kUnattributed = 0.001;

// PC samples spell two reasons differently from the counters.
std::string_view spelled_by_counters(std::string_view reason) {
  const StallReason* known = find_stall_reason(reason);
  return known != nullptr ? known->name : reason;
}

std::vector<StallShare> read_family(const Subject& subject, const Family& family) {
  std::vector<StallShare> found;
  for (const Metric& metric : subject.launch.metrics) {
    const std::string_view name = subject.profile.metric_names[metric.id].name;
    if (!name.starts_with(family.prefix) || !name.ends_with(family.suffix) ||
        name.ends_with(kNotIssued)) {
      continue;
    }
    const auto value = subject.number(name);
    if (!value || *value <= 0) continue;
    const std::string_view reason = name.substr(
        family.prefix.size(), name.size() - family.prefix.size() - family.suffix.size());
    found.push_back({std::string(spelled_by_counters(reason)), *value, std::string(name)});
  }
  return found;
}

// `whole` is what the reasons are shares of; absent, their own sum.
bool normalise(std::vector<StallShare>& stalls, std::optional<double> whole) {
  double sum = 0;
  for (const StallShare& stall : stalls) sum += stall.share;
  if (sum <= 0) return false;
  // Rounding leaves a little; beyond that a share is really missing.
  const bool missing = whole && 1 - sum / *whole > kUnattributed;
  const double total = missing ? *whole : sum;
  for (StallShare& stall : stalls) stall.share /= total;
  if (missing) stalls.push_back({"unattributed", 1 - sum / total, std::string(kWarpLatency[0])});
  std::stable_sort(stalls.begin(), stalls.end(),
                   [](const StallShare& a, const StallShare& b) { return a.share > b.share; });
  return true;
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

StallShares stall_shares(const Subject& subject) {
  std::vector<StallShare> stalls;
  for (const Family& family : {kCounters, kOldCounters}) {
    stalls = read_family(subject, family);
    if (normalise(stalls, subject.first(kWarpLatency))) {
      return {StallSource::kCounters, std::move(stalls)};
    }
  }
  stalls = read_family(subject, kSamples);
  if (normalise(stalls, std::nullopt)) return {StallSource::kSamples, std::move(stalls)};
  return {};
}

}  // namespace proofline
