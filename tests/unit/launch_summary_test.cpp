// SPDX-License-Identifier: Apache-2.0
//
// The numbers of a launch at a glance: which metric they come from, and that absent stays absent.
#include "analysis/launch/launch_summary.h"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace proofline::launch_summary_test {
namespace {

using Metrics = std::vector<std::pair<std::string, Value>>;

LaunchSummary summary_of(const Metrics& metrics) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  for (const auto& [name, value] : metrics) {
    Metric& metric = launch.metrics.emplace_back();
    metric.id = profile.metric_names.intern(name, "");
    metric.value = value;
  }
  return summarise(profile, launch);
}

std::string counter(const std::string& reason) {
  return "smsp__average_warps_issue_stalled_" + reason + "_per_issue_active.ratio";
}

std::string sample(const std::string& reason) {
  return "smsp__pcsamp_warps_issue_stalled_" + reason;
}

const std::string kWarpLatency = "smsp__average_warp_latency_per_inst_issued.ratio";

std::map<std::string, double> shares(const LaunchSummary& summary) {
  std::map<std::string, double> by_reason;
  for (const StallShare& stall : summary.stalls.shares) by_reason[stall.reason] = stall.share;
  return by_reason;
}

double sum_of_shares(const LaunchSummary& summary) {
  double sum = 0;
  for (const StallShare& stall : summary.stalls.shares) sum += stall.share;
  return sum;
}

TEST(LaunchSummary, AbsentStaysAbsent) {
  const LaunchSummary summary = summary_of({{"unrelated", 1.0}});
  EXPECT_FALSE(summary.duration_ns);
  EXPECT_FALSE(summary.sm_percent);
  EXPECT_FALSE(summary.l1_percent);
  EXPECT_FALSE(summary.l2_percent);
  EXPECT_FALSE(summary.dram_percent);
  EXPECT_FALSE(summary.achieved_occupancy_percent);
  EXPECT_FALSE(summary.theoretical_occupancy_percent);
  EXPECT_EQ(summary.stalls.source, StallSource::kNone);
  EXPECT_TRUE(summary.stalls.shares.empty());
}

// The profile knows the metric from another launch, or the metric came without a number.
TEST(LaunchSummary, AMetricWithoutANumberIsAbsent) {
  EXPECT_FALSE(summary_of({{"gpu__time_duration.sum", std::monostate{}}}).duration_ns);
  EXPECT_FALSE(summary_of({{"gpu__time_duration.sum", "text"}}).duration_ns);
  Profile profile;
  profile.metric_names.intern("gpu__time_duration.sum", "ns");
  EXPECT_FALSE(summarise(profile, Launch{}).duration_ns);
}

TEST(LaunchSummary, ReadsTodaysMetrics) {
  const LaunchSummary summary = summary_of({
      {"gpu__time_duration.sum", std::uint64_t{1500}},
      {"sm__throughput.avg.pct_of_peak_sustained_elapsed", 10.0},
      {"l1tex__throughput.avg.pct_of_peak_sustained_active", 99.0},
      {"l1tex__throughput.avg.pct_of_peak_sustained_elapsed", 20.0},
      {"lts__throughput.avg.pct_of_peak_sustained_elapsed", 30.0},
      {"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 40.0},
      {"sm__warps_active.avg.pct_of_peak_sustained_active", 50.0},
      {"sm__maximum_warps_per_active_cycle_pct", 60.0},
  });
  EXPECT_EQ(summary.duration_ns, 1500.0);
  EXPECT_EQ(summary.sm_percent, 10.0);
  EXPECT_EQ(summary.l1_percent, 20.0);
  EXPECT_EQ(summary.l2_percent, 30.0);
  EXPECT_EQ(summary.dram_percent, 40.0);
  EXPECT_EQ(summary.achieved_occupancy_percent, 50.0);
  EXPECT_EQ(summary.theoretical_occupancy_percent, 60.0);
}

TEST(LaunchSummary, ReadsMetricsOfOldVersions) {
  const LaunchSummary summary = summary_of({{"gpu__time_duration", 7.0},
                                            {"sm__sol_pct", 1.0},
                                            {"tex__sol_pct", 2.0},
                                            {"ltc__sol_pct", 3.0},
                                            {"fbpa__sol_pct", 4.0}});
  EXPECT_EQ(summary.duration_ns, 7.0);
  EXPECT_EQ(summary.sm_percent, 1.0);
  EXPECT_EQ(summary.l1_percent, 2.0);
  EXPECT_EQ(summary.l2_percent, 3.0);
  EXPECT_EQ(summary.dram_percent, 4.0);
}

// The newest name has no value in this launch: the next one is asked.
TEST(LaunchSummary, FallsBackToTheNextName) {
  const LaunchSummary summary =
      summary_of({{"gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", std::monostate{}},
                  {"dram__throughput.avg.pct_of_peak_sustained_elapsed", 12.5}});
  EXPECT_EQ(summary.dram_percent, 12.5);
}

TEST(StallShares, OfCountersAddUpToOneWithTheUnattributedRest) {
  const LaunchSummary summary = summary_of({{counter("selected"), 1.0},
                                            {counter("long_scoreboard"), 5.0},
                                            {counter("barrier"), 2.0},
                                            {kWarpLatency, 10.0}});
  EXPECT_EQ(summary.stalls.source, StallSource::kCounters);
  EXPECT_DOUBLE_EQ(sum_of_shares(summary), 1);
  const auto by_reason = shares(summary);
  ASSERT_EQ(by_reason.size(), 4U);
  EXPECT_DOUBLE_EQ(by_reason.at("selected"), 0.1);
  EXPECT_DOUBLE_EQ(by_reason.at("long_scoreboard"), 0.5);
  EXPECT_DOUBLE_EQ(by_reason.at("barrier"), 0.2);
  EXPECT_DOUBLE_EQ(by_reason.at("unattributed"), 0.2);
  EXPECT_EQ(summary.stalls.shares.front().reason, "long_scoreboard");
  EXPECT_EQ(summary.stalls.shares.back().reason, "selected");
}

TEST(StallShares, NothingIsUnattributedWhenTheReasonsExplainAll) {
  for (const Value& latency : {Value{8.0}, Value{8.004}, Value{7.9}, Value{}}) {
    const LaunchSummary summary =
        summary_of({{counter("wait"), 6.0}, {counter("selected"), 2.0}, {kWarpLatency, latency}});
    EXPECT_EQ(shares(summary).count("unattributed"), 0U);
    EXPECT_NEAR(sum_of_shares(summary), 1, 0.001);
  }
}

TEST(StallShares, ComeFromSamplesWithoutCounters) {
  const LaunchSummary summary =
      summary_of({{sample("short_scoreboard"), std::uint64_t{30}},
                  {sample("short_scoreboard_not_issued"), std::uint64_t{9}},
                  {sample("selected"), std::uint64_t{10}},
                  {sample("drain"), std::uint64_t{0}}});
  EXPECT_EQ(summary.stalls.source, StallSource::kSamples);
  EXPECT_EQ(shares(summary),
            (std::map<std::string, double>{{"short_scoreboard", 0.75}, {"selected", 0.25}}));
}

TEST(StallShares, CountersComeBeforeSamples) {
  const LaunchSummary summary =
      summary_of({{sample("drain"), std::uint64_t{30}}, {counter("barrier"), 1.0}});
  EXPECT_EQ(summary.stalls.source, StallSource::kCounters);
  EXPECT_EQ(shares(summary), (std::map<std::string, double>{{"barrier", 1.0}}));
}

// A kernel too short for a single sample: no shares rather than a division by zero.
TEST(StallShares, AllZeroIsAbsent) {
  const LaunchSummary summary =
      summary_of({{sample("drain"), std::uint64_t{0}}, {counter("barrier"), 0.0}});
  EXPECT_EQ(summary.stalls.source, StallSource::kNone);
  EXPECT_TRUE(summary.stalls.shares.empty());
}

TEST(StallShares, NotANumberDoesNotSpread) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const LaunchSummary summary =
      summary_of({{counter("barrier"), nan}, {counter("wait"), 2.0}, {kWarpLatency, nan}});
  EXPECT_EQ(shares(summary), (std::map<std::string, double>{{"wait", 1.0}}));
}

}  // namespace
}  // namespace proofline::launch_summary_test
