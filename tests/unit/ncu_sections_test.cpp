// SPDX-License-Identifier: Apache-2.0
//
// Which sections bring a metric, checked against captures of the sets, and the flags made of them.
#include "vocabulary/ncu_sections.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "readers/read_profile.h"
#include "vocabulary/metric_catalogue.h"

namespace proofline::ncu_sections_test {
namespace {

using Ids = std::vector<std::string_view>;
using Texts = std::vector<std::string>;

std::string flags(const Texts& metrics) { return capture_flags(metrics); }

TEST(SectionsWith, NamesThemInOrderOfUse) {
  EXPECT_EQ(sections_with("smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio"),
            Ids({"WarpStateStats"}));
  EXPECT_EQ(sections_with("smsp__issue_active.avg.per_cycle_active"),
            Ids({"WarpStateStats", "SchedulerStats"}));
  EXPECT_EQ(sections_with("smsp__pcsamp_warps_issue_stalled_barrier"), Ids({"SourceCounters"}));
  EXPECT_EQ(sections_with("no__such_metric.sum"), Ids());
  EXPECT_EQ(sections_with(""), Ids());
}

TEST(SectionsWith, ACounterBringsAllItsRollups) {
  // The section asks for .sum only.
  EXPECT_EQ(sections_with("smsp__inst_issued.max"), Ids({"InstructionStats"}));
  EXPECT_EQ(sections_with("smsp__inst_issued.max.per_second"), Ids());
}

TEST(SectionsWith, ABaseNameStandsForItsForms) {
  EXPECT_EQ(sections_with("smsp__warps_eligible"), Ids({"SchedulerStats"}));
}

TEST(SectionsWith, KnowsWhatNcuFillsInByItself) {
  // Not in any section file: members of the memory tables and of a breakdown, companions.
  EXPECT_EQ(sections_with("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
            Ids({"MemoryWorkloadAnalysis_Tables"}));
  EXPECT_EQ(sections_with("lts__d_sectors.avg.pct_of_peak_sustained_elapsed"),
            Ids({"SpeedOfLight"}));
  const Ids opcodes = sections_with("sass__inst_executed_per_opcode_with_modifier_all");
  EXPECT_NE(std::find(opcodes.begin(), opcodes.end(), "InstructionStats"), opcodes.end());
}

// What a capture holds is explained by the sections of its set, and nothing is claimed for a set
// that its capture lacks.
void expect_explained(const std::string& file, std::string_view set) {
  const auto profile =
      read_profile(std::string(PROOFLINE_SOURCE_DIR) + "/tests/fixtures/ncu_rep/" + file, {}, {});
  ASSERT_TRUE(profile) << profile.error().message;
  std::size_t explained = 0;
  for (MetricId id = 0; id < profile->metric_names.size(); ++id) {
    const std::string& name = profile->metric_names[id].name;
    if (name.starts_with("derived_temp") || is_in_every_capture(name)) continue;
    const Ids sections = sections_with(name);
    const bool in_set = std::any_of(
        sections.begin(), sections.end(),
        [&](std::string_view section) { return is_in_set(*find_ncu_section(section), set); });
    EXPECT_TRUE(in_set) << name;
    explained += in_set ? 1 : 0;
  }
  EXPECT_GT(explained, 100u);
}

TEST(SectionsWith, ExplainsABasicCapture) { expect_explained("h200-basic.ncu-rep.gz", "basic"); }
TEST(SectionsWith, ExplainsADetailedCapture) {
  expect_explained("h200-detailed.ncu-rep.gz", "detailed");
}
TEST(SectionsWith, ExplainsAFullCapture) { expect_explained("h200-memory.ncu-rep.gz", "full"); }

TEST(CaptureFlags, TakesTheFewestSections) {
  EXPECT_EQ(flags({"smsp__issue_active.avg.per_cycle_active",
                   "smsp__warps_eligible.avg.per_cycle_active"}),
            "--section SchedulerStats");
  EXPECT_EQ(flags({"smsp__issue_active.avg.per_cycle_active"}), "--section WarpStateStats");
  EXPECT_EQ(flags({"smsp__warps_eligible.avg.per_cycle_active",
                   "smsp__pcsamp_warps_issue_stalled_barrier", "smsp__inst_executed.sum"}),
            "--section SchedulerStats --section SourceCounters");
}

TEST(CaptureFlags, NamesWhatIsInNoSection) {
  EXPECT_EQ(
      flags({"sm__pipe_tma_cycles_active.avg", "sm__pipe_tma_cycles_active.avg",
             "smsp__inst_executed_op_tma_st.sum.per_second"}),
      "--metrics sm__pipe_tma_cycles_active.avg,smsp__inst_executed_op_tma_st.sum.per_second");
  EXPECT_EQ(flags({"smsp__warps_eligible.avg.per_cycle_active",
                   "smsp__inst_executed_op_tma_st.sum.per_second"}),
            "--section SchedulerStats --metrics smsp__inst_executed_op_tma_st.sum.per_second");
}

TEST(CaptureFlags, AsksForNothingThatIsAlwaysThere) {
  EXPECT_EQ(flags({}), "");
  EXPECT_EQ(flags({"device__attribute_warp_size", "launch__block_dim_x"}), "");
  EXPECT_EQ(flags({"numa__id_cpu"}), "");  // a section shows it, but it is there without
}

TEST(CaptureFlags, AsksForNothingThatNcuCannotCollect) {
  EXPECT_EQ(flags({"stall.barrier.share", "derived__nonsense"}), "");
}

TEST(Sections, AreDescribedAndInKnownSets) {
  for (const NcuSection& section : ncu_sections()) {
    EXPECT_FALSE(section.what.empty()) << section.id;
    EXPECT_EQ(find_ncu_section(section.id), &section);
    // Every set of a section is a set.
    std::string_view rest = section.sets;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      EXPECT_NE(find_ncu_set(rest.substr(0, end)), nullptr) << section.id;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  EXPECT_FALSE(is_in_set(*find_ncu_section("WarpStateStats"), "detailed"));
  EXPECT_TRUE(is_in_set(*find_ncu_section("WarpStateStats"), "full"));
  EXPECT_EQ(find_ncu_section("WarpStateStatistics"), nullptr);
}

TEST(Sections, ListTheirMetrics) {
  const Ids metrics = metrics_of(*find_ncu_section("WarpStateStats"));
  EXPECT_EQ(metrics.size(), 24u);
  EXPECT_TRUE(std::is_sorted(metrics.begin(), metrics.end()));
}

TEST(MetricCatalogue, KnowsKindAndChips) {
  const auto gmma = find_known_metric("smsp__sass_inst_executed_op_shared_gmma");
  ASSERT_TRUE(gmma);
  EXPECT_EQ(gmma->kind, MetricKind::kCounter);
  EXPECT_EQ(gmma->chips, Ids({"gh100"}));
  EXPECT_EQ(find_known_metric("sm__pipe_tc_cycles_active")->chips, Ids({"gb100"}));
  EXPECT_EQ(find_known_metric("dram__throughput")->kind, MetricKind::kThroughput);
  EXPECT_EQ(find_known_metric("smsp__average_warp_latency_per_inst_issued")->kind,
            MetricKind::kRatio);
  EXPECT_FALSE(find_known_metric("smsp__inst_executed_not_predicated_off"));
  EXPECT_EQ(known_metric_names().size(), 5493u);
}

TEST(MetricCatalogue, KnowsWhichFormsThereAre) {
  const auto problem = [](std::string_view name) {
    const MetricNameParts parts = split_metric_name(name);
    return wrong_form(*find_known_metric(parts.base), parts);
  };
  for (const char* right :
       {"smsp__inst_executed", "smsp__inst_executed.sum", "smsp__inst_executed.max.per_second",
        "smsp__average_warp_latency_per_inst_issued.ratio", "lts__t_sector_hit_rate.pct",
        "dram__throughput.avg.pct_of_peak_sustained_elapsed"}) {
    EXPECT_EQ(problem(right), "") << right;
  }
  for (const char* wrong :
       {"smsp__inst_executed.ratio", "smsp__average_warp_latency_per_inst_issued.sum",
        "lts__t_sector_hit_rate.avg.pct", "dram__throughput.pct_of_peak_sustained_elapsed"}) {
    EXPECT_NE(problem(wrong), "") << wrong;
  }
}

}  // namespace
}  // namespace proofline::ncu_sections_test
