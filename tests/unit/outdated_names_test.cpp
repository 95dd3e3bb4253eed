// SPDX-License-Identifier: Apache-2.0
//
// Old names lead to right ones, right names are left alone.
#include "vocabulary/outdated_names.h"

#include <gtest/gtest.h>

#include <string>

#include "vocabulary/metric_catalogue.h"
#include "vocabulary/metric_name.h"
#include "vocabulary/ncu_sections.h"
#include "vocabulary/stall_reasons.h"

namespace proofline::outdated_names_test {
namespace {

// What commands go on with; "differs" where they may not, "none" where the name is fine.
std::string goes_on_with(std::string_view typed) {
  const OutdatedName* entry = find_outdated(typed);
  if (entry == nullptr) return "none";
  return entry->same_meaning ? right_name(*entry, typed) : "differs";
}

TEST(OutdatedNames, GoOnWhereTheMeaningIsTheSame) {
  EXPECT_EQ(goes_on_with("smsp__thread_inst_executed_not_predicated_off.sum"),
            "smsp__thread_inst_executed_pred_on.sum");
  EXPECT_EQ(goes_on_with("smsp__pcsamp_warps_issue_stalled_gmma_not_issued"),
            "smsp__pcsamp_warps_issue_stalled_warpgroup_arrive_not_issued");
  EXPECT_EQ(
      goes_on_with("smsp__average_warps_issue_stalled_no_instructions_per_issue_active.ratio"),
      "smsp__average_warps_issue_stalled_no_instruction_per_issue_active.ratio");
  EXPECT_EQ(goes_on_with("dram__throughput.avg.pct_of_peak_sustained_elapsed"),
            "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed");
  EXPECT_EQ(goes_on_with("gld_efficiency"),
            "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct");
  EXPECT_EQ(goes_on_with("WarpStateStatistics"), "WarpStateStats");
  EXPECT_EQ(goes_on_with("ncu --page raw --csv baseline.ncu-rep"),
            "ncu --import baseline.ncu-rep --page raw --csv");
}

TEST(OutdatedNames, StopWhereItDiffers) {
  for (const char* name :
       {"smsp__average_warps_issue_stalled_barrier_per_issue_active.pct",
        "smsp__warps_issue_stalled_wait.avg.pct_of_peak_sustained_active",
        "smsp__inst_executed_not_predicated_off.sum", "Memory Throttle", "Synchronization",
        "Compute Throughput", "TMA Efficiency", "--set source", "initcheck", "st.shared.v4.b32"}) {
    EXPECT_EQ(goes_on_with(name), "differs") << name;
  }
}

TEST(OutdatedNames, LeaveRightNamesAlone) {
  for (const char* name :
       {"", "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio",
        "smsp__pcsamp_warps_issue_stalled_no_instructions",
        "smsp__pcsamp_warps_issue_stalled_warpgroup_arrive", "gpu__dram_throughput",
        "smsp__thread_inst_executed_pred_on.sum", "WarpStateStats", "--set full", "HGMMA",
        "inst_executed", "dram__bytes_read.sum", "long_scoreboard"}) {
    EXPECT_EQ(goes_on_with(name), "none") << name;
  }
}

TEST(OutdatedNames, AreFoundHoweverTheyAreTyped) {
  EXPECT_NE(find_outdated("memory throttle"), nullptr);
  EXPECT_NE(find_outdated("MEMORY_THROTTLE"), nullptr);
  EXPECT_NE(find_outdated("--section SharedMemory"), nullptr);
  EXPECT_NE(find_outdated("--section=SharedMemory"), nullptr);
  EXPECT_NE(find_outdated("cp.async.bulk.tensor.2d"), nullptr);
  EXPECT_NE(find_outdated("CVT.RN.BF16.F32"), nullptr);
}

TEST(OutdatedNames, TheStarKeepsItsLetters) {
  const OutdatedName* entry =
      find_outdated("smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.pct");
  ASSERT_NE(entry, nullptr);
  EXPECT_EQ(
      right_name(*entry, "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.pct"),
      "smsp__warp_issue_stalled_long_scoreboard_per_warp_active.pct");
}

// A row that lets commands go on must lead to something that exists.
TEST(OutdatedNames, LeadToNamesThatExist) {
  for (const OutdatedName& entry : outdated_names()) {
    EXPECT_FALSE(entry.why.empty()) << entry.name;
    EXPECT_EQ(find_outdated(entry.name), &entry) << entry.name;  // no earlier row hides it
    if (!entry.same_meaning) continue;
    const std::string_view right = entry.right;
    if (right.find("__") != right.npos && right.find("_*") == right.npos) {
      const MetricNameParts name = split_metric_name(right);
      const std::string base(name.base.substr(0, name.base.find('*')));
      EXPECT_TRUE(find_known_metric(base) || !sections_with(base).empty()) << right;
    } else if (entry.kind == "section") {
      EXPECT_NE(find_ncu_section(right), nullptr) << right;
    } else if (entry.kind == "stall reason") {
      EXPECT_NE(find_stall_reason(right), nullptr) << right;
    }
  }
}

// And the typed name must not be one of ncu's, unless it is only misread or deprecated.
TEST(OutdatedNames, WrongNamesAreNotNcus) {
  for (const OutdatedName& entry : outdated_names()) {
    if (entry.fault != NameFault::kUnknown) continue;
    const std::string name(entry.name.substr(0, entry.name.find('*')));
    EXPECT_FALSE(find_known_metric(name)) << name;
    EXPECT_EQ(find_ncu_section(name), nullptr) << name;
    EXPECT_EQ(find_ncu_set(name), nullptr) << name;
  }
}

}  // namespace
}  // namespace proofline::outdated_names_test
