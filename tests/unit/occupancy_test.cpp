// SPDX-License-Identifier: Apache-2.0
//
// Occupancy facts: ncu's numbers first, our calculator where the capture lacks them, absent with a
// reason where neither can tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "analysis/analysis.h"
#include "readers/read_profile.h"

namespace proofline {
Analysis occupancy();
}  // namespace proofline

namespace proofline::occupancy_test {
namespace {

namespace fs = std::filesystem;

using Metrics = std::vector<std::pair<std::string, double>>;

struct Case {
  Profile profile;

  explicit Case(const Metrics& metrics, const std::string& compute_capability = "9.0") {
    profile.format = "ncu-rep";
    Launch& launch = profile.launches.emplace_back();
    launch.compute_capability = compute_capability;
    for (const auto& [name, value] : metrics) {
      Metric& metric = launch.metrics.emplace_back();
      metric.id = profile.metric_names.intern(name, "");
      metric.value = value;
    }
  }

  Facts facts() const { return facts_of(profile, profile.launches.front()); }

  static Facts facts_of(const Profile& profile, const Launch& launch) {
    const Declared nothing;
    Facts facts(profile, launch);
    occupancy().publish(Subject{profile, launch, nothing}, facts);
    return facts;
  }
};

// 67 registers: 28 warps by registers, 7 blocks of 4 warps.
Metrics launch_metrics() {
  return {{"launch__block_size", 128},
          {"launch__registers_per_thread", 67},
          {"launch__shared_mem_per_block_static", 1024},
          {"launch__shared_mem_per_block_dynamic", 0},
          {"launch__shared_mem_config_size", 65536},
          {"launch__barrier_count", 1}};
}

Metrics with(Metrics metrics, const Metrics& more) {
  metrics.insert(metrics.end(), more.begin(), more.end());
  return metrics;
}

Metrics ncus_numbers() {
  return {{"launch__occupancy_limit_registers", 7},
          {"launch__occupancy_limit_shared_mem", 32},
          {"launch__occupancy_limit_warps", 16},
          {"launch__occupancy_limit_blocks", 32},
          {"launch__occupancy_limit_barriers", 32},
          {"sm__maximum_warps_per_active_cycle_pct", 43.75},
          {"sm__maximum_warps_avg_per_active_cycle", 28},
          {"sm__warps_active.avg.pct_of_peak_sustained_active", 40}};
}

TEST(OccupancyFacts, OursWhereTheCaptureLacksNcus) {
  const Case one(launch_metrics());
  const Facts facts = one.facts();
  EXPECT_DOUBLE_EQ(facts.number("occupancy.theoretical").value(), 0.4375);
  EXPECT_EQ(facts.number("occupancy.blocks_per_sm"), 7);
  EXPECT_EQ(facts.number("occupancy.limit.registers"), 7);
  EXPECT_EQ(facts.number("occupancy.limit.shared_memory"), 32);
  EXPECT_EQ(facts.number("occupancy.limit.warps"), 16);
  EXPECT_EQ(facts.number("occupancy.limit.blocks"), 32);
  EXPECT_EQ(facts.number("occupancy.limit.barriers"), 32);
  EXPECT_EQ(facts.number("occupancy.warps_per_scheduler"), 7);
  EXPECT_EQ(facts.number("occupancy.registers_per_thread"), 67);
  EXPECT_EQ(facts.number("occupancy.shared_memory_per_block"), 1024);
  EXPECT_EQ(facts.text("occupancy.limiter"), "registers");
  EXPECT_EQ(facts.text("occupancy.next_step"),
            "3 registers fewer per thread (64 instead of 67) gives one more block: 43.8 % -> 50 %");
  const auto sources = facts.find("occupancy.theoretical")->sources.metrics();
  EXPECT_EQ(std::count(sources.begin(), sources.end(), "launch__registers_per_thread"), 1);
  EXPECT_FALSE(facts.find("occupancy.achieved"));
  EXPECT_EQ(facts.absence("occupancy.achieved").metrics,
            std::vector<std::string>{"sm__warps_active.avg.pct_of_peak_sustained_active"});
}

TEST(OccupancyFacts, NcusNumbersFirst) {
  const Case one(with(launch_metrics(), ncus_numbers()));
  const Facts facts = one.facts();
  EXPECT_DOUBLE_EQ(facts.number("occupancy.theoretical").value(), 0.4375);
  EXPECT_DOUBLE_EQ(facts.number("occupancy.achieved").value(), 0.4);
  EXPECT_EQ(facts.find("occupancy.theoretical")->sources.metrics(),
            std::vector<std::string>{"sm__maximum_warps_per_active_cycle_pct"});
  EXPECT_EQ(facts.find("occupancy.limit.warps")->sources.metrics(),
            std::vector<std::string>{"launch__occupancy_limit_warps"});
  EXPECT_TRUE(facts.text("occupancy.next_step"));
  EXPECT_FALSE(facts.find("occupancy.disagreement"));
}

TEST(OccupancyFacts, SaysWhereNcuAndWeDiffer) {
  Metrics metrics = with(launch_metrics(), ncus_numbers());
  for (auto& [name, value] : metrics) {
    if (name == "launch__occupancy_limit_registers") value = 5;
  }
  const Case one(metrics);
  const Facts facts = one.facts();
  EXPECT_EQ(facts.number("occupancy.limit.registers"), 5);
  EXPECT_EQ(facts.number("occupancy.blocks_per_sm"), 5);
  EXPECT_EQ(facts.text("occupancy.disagreement"), "registers: 5 by ncu, 7 by our calculation");
  EXPECT_FALSE(facts.find("occupancy.next_step"));
}

TEST(OccupancyFacts, AnUnknownGpuIsSaidToBeOne) {
  const Case unknown(launch_metrics(), "99.9");
  const Facts facts = unknown.facts();
  EXPECT_FALSE(facts.find("occupancy.theoretical"));
  EXPECT_NE(facts.absence("occupancy.theoretical").reason.find("compute capability 99.9"),
            std::string::npos);
  EXPECT_FALSE(facts.find("occupancy.limiter"));
  EXPECT_FALSE(facts.find("occupancy.next_step"));
  EXPECT_EQ(facts.number("occupancy.registers_per_thread"), 67);

  // ncu knows more than we do.
  const Case told(ncus_numbers(), "99.9");
  const Facts theirs = told.facts();
  EXPECT_DOUBLE_EQ(theirs.number("occupancy.theoretical").value(), 0.4375);
  EXPECT_EQ(theirs.text("occupancy.limiter"), "registers");
  EXPECT_FALSE(theirs.find("occupancy.warps_per_scheduler"));
}

TEST(OccupancyFacts, TheLimiterIsOfTheVocabulary) {
  const auto limiter = [](Metrics metrics, const std::string& capability) {
    const Case one(metrics, capability);
    return one.facts().text("occupancy.limiter");
  };
  const auto metrics = [](double threads, double registers, double shared, double barriers) {
    return Metrics{{"launch__block_size", threads},
                   {"launch__registers_per_thread", registers},
                   {"launch__shared_mem_per_block_static", 0},
                   {"launch__shared_mem_per_block_dynamic", shared},
                   {"launch__barrier_count", barriers}};
  };
  EXPECT_EQ(limiter(metrics(256, 32, 0, 0), "9.0"), "none");
  EXPECT_EQ(limiter(metrics(256, 32, 100000, 0), "9.0"), "shared-memory");
  EXPECT_EQ(limiter(metrics(32, 32, 0, 0), "9.0"), "block-size");    // out of block slots
  EXPECT_EQ(limiter(metrics(1024, 32, 0, 0), "8.6"), "block-size");  // out of warp slots
  EXPECT_EQ(limiter(metrics(1024, 64, 0, 0), "8.6"), "registers+block-size");
  EXPECT_EQ(limiter(metrics(64, 32, 0, 8), "12.0"), "barriers");
  EXPECT_EQ(limiter(metrics(256, 168, 150000, 0), "9.0"), "registers+shared-memory");
  // Four blocks by registers; the driver set a carve-out that just holds them.
  EXPECT_EQ(limiter(with(metrics(128, 122, 12544, 0), {{"launch__shared_mem_config_size", 65536}}),
                    "8.6"),
            "registers");
}

TEST(OccupancyFacts, WordsForEachKindOfStep) {
  const auto step = [](const Metrics& metrics, const std::string& capability) {
    const Case one(metrics, capability);
    return one.facts().text("occupancy.next_step");
  };
  const auto metrics = [](double threads, double registers, double shared, double barriers) {
    return Metrics{{"launch__block_size", threads},
                   {"launch__registers_per_thread", registers},
                   {"launch__shared_mem_per_block_static", 0},
                   {"launch__shared_mem_per_block_dynamic", shared},
                   {"launch__barrier_count", barriers}};
  };
  EXPECT_EQ(step(metrics(1024, 32, 0, 0), "8.6"),
            "768 threads per block instead of 1024 fill an SM better: 66.7 % -> 100 %");
  EXPECT_EQ(
      step(metrics(256, 32, 61440, 0), "9.0"),
      "4,096 bytes less shared memory per block (57,344 instead of 61,440) gives one more block: "
      "37.5 % -> 50 %");
  EXPECT_EQ(
      step(with(metrics(256, 32, 61440, 0), {{"launch__shared_mem_config_size", 65536}}), "9.0"),
      "a shared-memory carve-out of 132 KiB instead of 64 gives one more block: "
      "12.5 % -> 25 %");
  EXPECT_EQ(step(metrics(64, 32, 0, 6), "12.0"),
            "2 barriers fewer per block (4 instead of 6) gives 2 more blocks: 16.7 % -> 25 %");
  EXPECT_FALSE(step(metrics(256, 32, 0, 0), "9.0"));
}

// A cluster of 13 has to be within one GPC: 7 of them are 91 blocks of 132.
TEST(OccupancyFacts, ClustersLeaveSmsEmpty) {
  const Case one(with(launch_metrics(), {{"launch__occupancy_limit_registers", 1},
                                         {"launch__cluster_size", 13},
                                         {"launch__cluster_max_active", 7},
                                         {"launch__sm_count", 132}}));
  EXPECT_NEAR(one.facts().number("occupancy.cluster_fill").value(), 91.0 / 132, 1e-12);
  const Case none(with(launch_metrics(), {{"launch__cluster_size", 0}}));
  EXPECT_FALSE(none.facts().find("occupancy.cluster_fill"));
}

TEST(OccupancyFacts, NothingComesOfNothing) {
  const Case empty({});
  const Facts facts = empty.facts();
  EXPECT_TRUE(facts.published().empty());
  EXPECT_EQ(facts.absence("occupancy.limit.registers").metrics,
            std::vector<std::string>{"launch__occupancy_limit_registers"});
  EXPECT_EQ(facts.absence("occupancy.next_step").reason, "the capture lacks launch__block_size");
  // On a GPU that has no such limit no capture would help.
  const Case old(launch_metrics(), "7.5");
  EXPECT_TRUE(old.facts().absence("occupancy.limit.barriers").metrics.empty());
}

TEST(OccupancyFacts, DamagedNumbersAreAbsent) {
  for (const double bad : {std::numeric_limits<double>::quiet_NaN(), -1.0, 1e300,
                           std::numeric_limits<double>::infinity()}) {
    Metrics metrics = with(launch_metrics(), ncus_numbers());
    for (auto& [name, value] : metrics) value = bad;
    const Case one(metrics);
    const Facts facts = one.facts();
    EXPECT_FALSE(facts.number("occupancy.theoretical")) << bad;
    EXPECT_FALSE(facts.number("occupancy.achieved")) << bad;
    EXPECT_FALSE(facts.number("occupancy.blocks_per_sm")) << bad;
    EXPECT_FALSE(facts.text("occupancy.limiter")) << bad;
    EXPECT_FALSE(facts.text("occupancy.next_step")) << bad;
  }
  Metrics zero = launch_metrics();
  zero.front().second = 0;
  const Case one(zero);
  EXPECT_FALSE(one.facts().number("occupancy.theoretical"));
}

TEST(OccupancyFacts, OnlyAKernelIsCalculated) {
  Case graph(launch_metrics());
  graph.profile.launches.front().kind = LaunchKind::kGraph;
  EXPECT_FALSE(graph.facts().find("occupancy.theoretical"));
  EXPECT_NE(graph.facts().absence("occupancy.theoretical").reason.find("several kernels"),
            std::string::npos);
}

// Whatever file ncu's numbers come from, ours do not differ; printed ones are rounded.
void expect_agreement(const fs::path& folder, std::size_t& launches) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    const auto profile = read_profile(entry.path().string());
    if (!profile) continue;
    SCOPED_TRACE(entry.path().filename().string());
    for (const Launch& launch : profile->launches) {
      const Facts facts = Case::facts_of(*profile, launch);
      EXPECT_EQ(facts.text("occupancy.disagreement").value_or(""), "");
      if (!facts.find("launch__occupancy_limit_registers")) continue;
      ++launches;
      EXPECT_TRUE(facts.text("occupancy.limiter"));
      const double share = facts.number("occupancy.theoretical").value();
      const bool known = !launch.compute_capability.empty() && launch.kind == LaunchKind::kKernel;
      EXPECT_EQ(facts.text("occupancy.next_step").has_value(), known && share < 1);
    }
  }
}

TEST(OccupancyFacts, AgreeWithNcuInEveryFixture) {
  std::size_t launches = 0;
  expect_agreement(fs::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/ncu_rep", launches);
  expect_agreement(fs::path(PROOFLINE_SOURCE_DIR) / "examples", launches);
  EXPECT_GT(launches, 90U);
}

TEST(OccupancyFacts, AgreeWithNcuInTheCorpus) {
  const char* folder = std::getenv("PROOFLINE_CORPUS");
  if (folder == nullptr || *folder == '\0') {
    GTEST_SKIP() << "PROOFLINE_CORPUS is not set: no real files to try";
  }
  fs::path root = folder;
  if (!fs::is_directory(root / "ncu-rep")) root /= "corpus";
  std::size_t launches = 0;
  for (const char* kind : {"ncu-rep", "ncu-csv", "ncu-text"})
    expect_agreement(root / kind, launches);
  EXPECT_GT(launches, 190U);
}

}  // namespace
}  // namespace proofline::occupancy_test
