// SPDX-License-Identifier: Apache-2.0
//
// Facts over every committed capture: what must hold of each of them, whatever the kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "analysis/analysis.h"
#include "support/captures.h"

namespace proofline::facts_test {
namespace {

const std::vector<Profile>& captures() {
  static const std::vector<Profile> kAll = [] {
    std::vector<Profile> all = read_captures("tests/fixtures/ncu_rep");
    for (Profile& zoo : read_captures("tests/fixtures/zoo")) all.push_back(std::move(zoo));
    return all;
  }();
  return kAll;
}

template <typename Check>
void for_each_launch(Check check) {
  const Declared nothing;
  for (const Profile& profile : captures()) {
    for (const Launch& launch : profile.launches) {
      SCOPED_TRACE(profile.path + ": " + launch.function);
      check(launch, gather_facts(profile, launch, nothing));
    }
  }
}

TEST(Facts, StallSharesAddUpToOne) {
  for_each_launch([](const Launch&, const Facts& facts) {
    if (!facts.text("stall.source")) return;
    double reasons = 0;
    double groups = 0;
    for (const Fact& fact : facts.published()) {
      if (!fact.name.starts_with("stall.") || !fact.name.ends_with(".share")) continue;
      if (fact.name == "stall.exposed.share") continue;
      (fact.name.starts_with("stall.group.") ? groups : reasons) += std::get<double>(fact.value);
    }
    EXPECT_NEAR(reasons, 1, 1e-9);
    EXPECT_NEAR(groups, 1, 1e-9);
  });
}

TEST(Facts, AMetricBelowZeroIsAbsentAndSaysSo) {
  std::size_t negative = 0;
  for (const Profile& profile : captures()) {
    for (const Launch& launch : profile.launches) {
      const Facts facts = gather_facts(profile, launch, {});
      for (const Metric& metric : launch.metrics) {
        if (!is_negative(metric.value)) continue;
        ++negative;
        const std::string& name = profile.metric_names[metric.id].name;
        EXPECT_FALSE(facts.find(name)) << name;
        EXPECT_EQ(facts.absence(name).reason, name + " is below zero");
      }
    }
  }
  EXPECT_GT(negative, 0U);
}

TEST(Facts, EveryPublishedFactIsInTheCatalogueOnceWithItsUnit) {
  std::set<std::string_view> names;
  for (const Analysis& analysis : analyses()) {
    for (const FactInfo& info : analysis.facts) {
      EXPECT_TRUE(names.insert(info.name).second) << info.name << " is listed twice";
      EXPECT_FALSE(info.meaning.empty()) << info.name;
    }
  }
  for_each_launch([](const Launch&, const Facts& facts) {
    for (const Fact& fact : facts.published()) {
      bool known = false;
      for (const Analysis& analysis : analyses()) {
        known =
            known ||
            std::any_of(analysis.facts.begin(), analysis.facts.end(), [&](const FactInfo& info) {
              return info.unit == fact.unit && matches_fact(info.name, fact.name);
            });
      }
      EXPECT_TRUE(known) << fact.name << " in " << fact.unit;
    }
  });
}

TEST(Facts, APlaceholderStandsForOnePartOfAName) {
  EXPECT_TRUE(matches_fact("roof.level", "roof.level"));
  EXPECT_FALSE(matches_fact("roof.level", "roof.levels"));
  EXPECT_TRUE(matches_fact("stall.<reason>.share", "stall.long_scoreboard.share"));
  EXPECT_FALSE(matches_fact("stall.<reason>.share", "stall..share"));
  EXPECT_FALSE(matches_fact("stall.<reason>.share", "stall.group.memory.share"));
  EXPECT_TRUE(matches_fact("hot[<i>].line", "hot[12].line"));
  EXPECT_TRUE(matches_fact("roofline.<level>.<precision>.roof", "roofline.l2.tensor-f16.roof"));
  EXPECT_TRUE(matches_fact("memory.<load|store>.width", "memory.store.width"));
  EXPECT_FALSE(matches_fact("memory.<load|store>.width", "memory.loads.width"));
  EXPECT_FALSE(matches_fact("memory.<load|store>.width", "memory.atomic.width"));
}

TEST(Facts, ValuesAreFiniteAndSharesAreSane) {
  for_each_launch([](const Launch&, const Facts& facts) {
    for (const Fact& fact : facts.published()) {
      const auto* value = std::get_if<double>(&fact.value);
      if (value == nullptr) continue;
      EXPECT_TRUE(std::isfinite(*value)) << fact.name;
      EXPECT_GE(*value, 0) << fact.name;
      // Lanes that share an address use more bytes than a sector has.
      if (fact.unit == kShare && fact.name.find("sector_use") == std::string::npos) {
        EXPECT_LE(*value, 1.05) << fact.name;
      }
    }
  });
}

TEST(Facts, AbsentFactsSayWhy) {
  for_each_launch([](const Launch&, const Facts& facts) {
    for (const AbsentFact& absent : facts.absent()) {
      EXPECT_FALSE(absent.reason.empty()) << absent.name;
      EXPECT_FALSE(facts.find(absent.name)) << absent.name;
    }
  });
}

TEST(Facts, AnEmptyLaunchHasNoNumbersButReasons) {
  Profile profile;
  profile.launches.emplace_back();
  const Facts facts = gather_facts(profile, profile.launches.front(), {});
  EXPECT_GT(facts.absent().size(), 50U);
  for (const Fact& fact : facts.published()) EXPECT_EQ(fact.name, "capture.metrics");
}

TEST(Facts, AMetricIsAFactUnderItsOwnName) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  set_metric(profile, launch, "dram__bytes_read.sum", 4096.0);
  set_metric(profile, launch, "odd", std::nan(""));
  set_metric(profile, launch, "a text", std::string("8x8"));
  const Facts facts = gather_facts(profile, launch, {});
  EXPECT_EQ(facts.number("dram__bytes_read.sum"), 4096);
  EXPECT_FALSE(facts.number("odd"));
  EXPECT_FALSE(facts.find("odd"));
  EXPECT_EQ(facts.text("a text"), "8x8");
  EXPECT_FALSE(facts.number("a text"));
  EXPECT_FALSE(facts.number("dram__bytes_write.sum"));
  EXPECT_EQ(facts.absence("dram__bytes_write.sum").metrics,
            std::vector<std::string>{"dram__bytes_write.sum"});
}

// A copy's `lts__throughput` reads higher than its DRAM; the roof must be DRAM all the same.
TEST(Facts, TheRoofOfACopyIsDram) {
  const Profile profile =
      only_kernel(read_capture("tests/fixtures/zoo/h200-zoo-roofs.ncu-rep.gz"), "copy_frames");
  const Facts facts = gather_facts(profile, profile.launches.front(), {});
  EXPECT_EQ(facts.text("roof.level"), "dram");
  EXPECT_GT(*facts.number("lts__throughput.avg.pct_of_peak_sustained_elapsed") / 100,
            *facts.number("throughput.l2.share"));
  EXPECT_EQ(facts.text("roofline.dram.position").value_or("left"), "left");
}

TEST(Facts, TensorPeaksAreThoseOfDenseOperands) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  const std::string all = "sm__ops_path_tensor_src_bf16_dst_fp32.sum.";
  const std::string dense = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_off.sum.";
  const std::string sparse = "sm__ops_path_tensor_op_hgmma_src_bf16_dst_fp32_sparsity_on.sum.";
  set_metric(profile, launch, all + "per_second", 942e12);
  set_metric(profile, launch, all + "peak_sustained_elapsed.per_second", 1935e12);
  set_metric(profile, launch, dense + "peak_sustained_elapsed.per_second", 967e12);
  EXPECT_EQ(gather_facts(profile, launch, {}).number("roofline.peak"), 967e12);
  set_metric(profile, launch, sparse + "per_second", 942e12);
  EXPECT_EQ(gather_facts(profile, launch, {}).number("roofline.peak"), 1935e12);
}

TEST(Facts, NamesFromBefore2020AreUnderstood) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  set_metric(profile, launch, "smsp__warp_cycles_per_issue_active", 28.0);
  set_metric(profile, launch, "smsp__warp_cycles_per_issue_stall_long_scoreboard", 18.6);
  set_metric(profile, launch, "smsp__warp_cycles_per_issue_stall_no_instructions", 2.8);
  set_metric(profile, launch, "smsp__issue_active_avg_per_active_cycle", 0.3);
  set_metric(profile, launch, "smsp__thread_inst_executed_per_inst_executed", 16.0);
  set_metric(profile, launch, "smsp__thread_inst_executed_not_pred_off_per_inst_executed", 12.0);
  const Facts facts = gather_facts(profile, launch, {});
  EXPECT_NEAR(facts.number("stall.long_scoreboard.share").value_or(0), 18.6 / 28, 1e-9);
  EXPECT_NEAR(facts.number("stall.no_instruction.share").value_or(0), 0.1, 1e-9);
  EXPECT_EQ(facts.text("stall.top"), "long_scoreboard");
  EXPECT_EQ(facts.number("issue.active.share"), 0.3);
  EXPECT_EQ(facts.number("execution.active_threads.share"), 0.5);
  EXPECT_EQ(facts.number("execution.predicated_off.share"), 0.25);
}

TEST(Facts, RegistersTellSpillsWhereNoMarkDoes) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  set_metric(profile, launch, "smsp__inst_executed.sum", 1000.0);
  set_metric(profile, launch, "l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum", 80.0);
  set_metric(profile, launch, "l1tex__t_requests_pipe_lsu_mem_local_op_st.sum", 47.0);
  const auto spilled = [&](double registers) {
    set_metric(profile, launch, "launch__registers_per_thread", registers);
    return gather_facts(profile, launch, {}).number("memory.spill_instructions.share");
  };
  EXPECT_FALSE(gather_facts(profile, launch, {}).number("memory.spill_instructions.share"));
  EXPECT_EQ(spilled(255), 0.127);
  EXPECT_EQ(spilled(64), 0.127);
  EXPECT_EQ(spilled(61), 0);
  EXPECT_EQ(gather_facts(profile, launch, {}).number("memory.indexing_instructions.share"), 0.127);
  EXPECT_EQ(gather_facts(profile, launch, {}).text("memory.local.unmarked"), "yes");
  set_metric(profile, launch, "sass__inst_executed_register_spilling", 20.0);
  EXPECT_EQ(spilled(61), 0.02);
  EXPECT_FALSE(gather_facts(profile, launch, {}).text("memory.local.unmarked"));
}

TEST(Facts, WhatComesIntoL2IsSplitBySender) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  set_metric(profile, launch, "l1tex__m_l1tex2xbar_write_sectors_mem_lg_op_st.sum", 60.0);
  set_metric(profile, launch, "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", 20.0);
  set_metric(profile, launch, "l1tex__m_l1tex2xbar_write_sectors_mem_global_op_red.sum", 40.0);
  const Facts facts = gather_facts(profile, launch, {});
  EXPECT_EQ(facts.number("memory.l2.inbound.global.share"), 0.2);
  EXPECT_EQ(facts.number("memory.l2.inbound.local.share"), 0.4);
  EXPECT_EQ(facts.number("memory.l2.inbound.atomic.share"), 0.4);
}

TEST(Facts, AReportOfNothingButSetupIsKnown) {
  Profile profile;
  profile.launches.emplace_back().name =
      "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)";
  EXPECT_EQ(gather_facts(profile, profile.launches[0], {}).text("capture.only_setup"), "yes");
  profile.launches.emplace_back().name = "void fill_kernel(float *)";
  EXPECT_FALSE(gather_facts(profile, profile.launches[0], {}).text("capture.only_setup"));
}

// A roofline section alone has no throughput, but bytes, their peak a cycle and the clock.
TEST(Facts, BytesOverTheirPeakStandInForAThroughput) {
  Profile profile;
  Launch& launch = profile.launches.emplace_back();
  set_metric(profile, launch, "dram__bytes.sum.per_second", 100e9);
  set_metric(profile, launch, "dram__bytes.sum.peak_sustained", 32.0);
  EXPECT_FALSE(gather_facts(profile, launch, {}).number("throughput.dram.share"));
  set_metric(profile, launch, "dram__cycles_elapsed.avg.per_second", 12.5e9);
  const Facts facts = gather_facts(profile, launch, {});
  EXPECT_EQ(facts.number("throughput.dram.share"), 0.25);
  EXPECT_EQ(facts.text("roof.level"), "dram");
  set_metric(profile, launch, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed", 30.0);
  EXPECT_EQ(gather_facts(profile, launch, {}).number("throughput.dram.share"), 0.3);
}

TEST(Facts, ASourceMoreIsNoSourceOfOtherFacts) {
  Sources sources;
  EXPECT_TRUE(sources.metrics().empty());
  sources.add("a");
  const Fact fact{"one", "", 1.0, sources};
  sources.add("b");
  EXPECT_EQ(fact.sources.metrics(), std::vector<std::string>{"a"});
  EXPECT_EQ(sources.metrics(), (std::vector<std::string>{"a", "b"}));
}

TEST(Facts, ShufflesAreNotSharedMemoryTraffic) {
  const Profile profile =
      only_kernel(read_capture("tests/fixtures/zoo/h200-zoo-roofs.ncu-rep.gz"), "pull_to_warp_sum");
  const Facts facts = gather_facts(profile, profile.launches.front(), {});
  EXPECT_LT(*facts.number("throughput.shared.share"), 0.05);
  EXPECT_EQ(facts.text("roof.level"), "lsu");
}

}  // namespace
}  // namespace proofline::facts_test
