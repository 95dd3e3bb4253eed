// SPDX-License-Identifier: Apache-2.0
//
// That what ncu lists is read (tests/fixtures/tools/answers/ncu, from ncu 2025.3.1), and that names
// are taken, put right or refused with the nearest.
#include "tools/ncu/ncu_names.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "vocabulary/ncu_sections.h"

namespace proofline::ncu_names_test {
namespace {

std::string answer(const std::string& question) {
  std::ifstream file(PROOFLINE_SOURCE_DIR "/tests/fixtures/tools/answers/ncu/" + question);
  EXPECT_TRUE(file) << question;
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

using Names = std::vector<std::string>;

TEST(NcuNames, ReadsTheListsOfSectionsAndSets) {
  const Names sections = parse_ncu_list(answer("list-sections"));
  EXPECT_EQ(sections.size(), ncu_sections().size());
  for (const std::string& id : sections) EXPECT_TRUE(find_ncu_section(id)) << id;
  EXPECT_EQ(parse_ncu_list(answer("list-sets")),
            (Names{"basic", "detailed", "full", "nvlink", "pmsampling", "roofline"}));
}

TEST(NcuNames, ReadsMetricsWithTheirKind) {
  const auto metrics = parse_ncu_metrics(answer("query-metrics"));
  ASSERT_FALSE(metrics.empty());
  EXPECT_EQ(metrics.front().name, "FBSP.TriageCompute.dramc__cycles_elapsed");
  EXPECT_EQ(metrics.front().kind, MetricKind::kCounter);
  EXPECT_EQ(std::count_if(metrics.begin(), metrics.end(),
                          [](const NcuMetric& metric) {
                            return metric.name == "FBSP.TriageCompute.dramc__throughput" &&
                                   metric.kind == MetricKind::kThroughput;
                          }),
            1);
}

TEST(NcuNames, FindsNoneInWhatIsNoList) {
  for (const char* text : {"", "\n\n", "---\n---\n---\n", "==ERROR== no GPU\n", "a b c\n",
                           "--- ---\nIdentifier\n--- ---\n\nrow\n"}) {
    EXPECT_TRUE(parse_ncu_list(text).empty()) << text;
    EXPECT_TRUE(parse_ncu_metrics(text).empty()) << text;
  }
}

const Names kSections = {"SpeedOfLight", "WarpStateStats", "LaunchStats"};

TEST(NcuNames, TakesSectionsAsTheyAreAndPutsOldOnesRight) {
  const auto checked = check_ncu_sections(
      {"SpeedOfLight", "regex:.*Stats", "WarpStateStatistics", "launchstats"}, kSections);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->names,
            (Names{"SpeedOfLight", "regex:.*Stats", "WarpStateStats", "LaunchStats"}));
  ASSERT_EQ(checked->notes.size(), 2U);
  EXPECT_TRUE(checked->notes[0].what.starts_with(
      "taking WarpStateStats for \"WarpStateStatistics\": That is the name of the section's file"));
}

TEST(NcuNames, RefusesUnknownSectionsWithTheNearest) {
  const auto checked = check_ncu_sections({"SpeedOfLigth"}, kSections);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().kind, ErrorKind::kUsage);
  EXPECT_EQ(checked.error().message,
            "the installed ncu knows no section \"SpeedOfLigth\"; nearest: SpeedOfLight (ncu "
            "--list-sections has all)");
  EXPECT_FALSE(check_ncu_sections({""}, kSections));
  EXPECT_FALSE(check_ncu_sections({"\x1b[31m"}, kSections));
}

const std::vector<NcuMetric> kMetrics = {
    {"dram__bytes", MetricKind::kCounter},
    {"dram__bytes_read", MetricKind::kCounter},
    {"sm__throughput", MetricKind::kThroughput},
    {"lts__t_sector_hit_rate", MetricKind::kRatio},
    {"FBSP.TriageCompute.dramc__cycles_elapsed", MetricKind::kCounter},
    {"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld", MetricKind::kRatio},
};

TEST(NcuNames, TakesMetricsInEveryFormThatTheyHave) {
  const Names typed = {
      "dram__bytes",
      "dram__bytes.sum",
      "dram__bytes.sum.per_second",
      "dram__bytes.avg.peak_sustained_elapsed.per_second",
      "sm__throughput.avg.pct_of_peak_sustained_elapsed",
      "lts__t_sector_hit_rate.pct",
      "FBSP.TriageCompute.dramc__cycles_elapsed.avg",
      "launch__registers_per_thread",  // an attribute
      "inst_executed",                 // by instruction
      "smsp__pcsamp_sample_count",     // a sample
      "memory_l1_wavefronts_shared",
      "regex:^dram__",
      "group:memory__chart",
      "breakdown:sm__throughput.avg.pct_of_peak_sustained_elapsed",
      "pmsampling:dram__bytes.sum",
  };
  const auto checked = check_ncu_metrics(typed, kMetrics);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->names, typed);
  EXPECT_TRUE(checked->notes.empty());
}

TEST(NcuNames, PutsOldMetricsRight) {
  const auto checked = check_ncu_metrics({"gld_efficiency", "dram_read_bytes"}, kMetrics);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_EQ(checked->names, (Names{"smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct",
                                   "dram__bytes_read.sum"}));
  EXPECT_EQ(checked->notes.size(), 2U);
}

TEST(NcuNames, TakesTheSectionThatComputesAMetric) {
  const auto checked = check_ncu_metrics({"derived__lts__lts2xbar_bytes.sum.per_second"}, kMetrics);
  ASSERT_TRUE(checked) << checked.error().message;
  EXPECT_TRUE(checked->names.empty());
  ASSERT_EQ(checked->sections.size(), 1U);
  EXPECT_TRUE(find_ncu_section(checked->sections[0]));
}

TEST(NcuNames, RefusesMetricsThatNcuWouldPassOver) {
  const struct {
    const char* name;
    const char* part;
  } wrong[] = {
      {"dram__bytess.sum", "nearest: dram__bytes"},
      {"no_such_metric", "knows no metric \"no_such_metric\""},
      {"dram__bytes.per_second", "needs .sum, .avg, .min or .max first"},
      {"dram__bytes.sum.per_minute", "no metric has a form .per_minute"},
      {"lts__t_sector_hit_rate.sum", "a ratio has the forms"},
      {"sm__throughput.avg.per_second", "a throughput has the forms"},
      {"warp_execution_efficiency", "smsp__average_thread_inst_executed_per_inst_executed.ratio"},
      {"", "knows no metric"},
  };
  for (const auto& [name, part] : wrong) {
    const auto checked = check_ncu_metrics({"dram__bytes.sum", name}, kMetrics);
    ASSERT_FALSE(checked) << name;
    EXPECT_EQ(checked.error().kind, ErrorKind::kUsage);
    EXPECT_NE(checked.error().message.find(part), std::string::npos) << checked.error().message;
  }
}

}  // namespace
}  // namespace proofline::ncu_names_test
