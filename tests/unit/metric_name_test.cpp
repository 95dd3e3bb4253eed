// SPDX-License-Identifier: Apache-2.0
//
// Metric names taken apart and put into words, and the compiled-in table they are looked up in.
#include "vocabulary/metric_name.h"

#include <gtest/gtest.h>

#include <string>

#include "vocabulary/metric_catalogue.h"
#include "vocabulary/name_table.h"

namespace proofline::metric_name_test {
namespace {

// "text: meaning" lines, "?" where no meaning is known.
std::string decoded(std::string_view name) {
  std::string lines;
  for (const NamePart& part : decode_metric_name(split_metric_name(name))) {
    lines.append(part.text).append(": ");
    lines.append(part.meaning.empty() ? "?" : part.meaning).append("\n");
  }
  return lines;
}

TEST(SplitMetricName, FindsTheParts) {
  const MetricNameParts name = split_metric_name("lts__t_sectors_op_read.sum.per_second");
  EXPECT_EQ(name.unit, "lts");
  EXPECT_EQ(name.base, "lts__t_sectors_op_read");
  EXPECT_EQ(name.rollup, "sum");
  EXPECT_EQ(name.submetric, "per_second");
  EXPECT_EQ(name.domain, "");
  EXPECT_EQ(name.sampler, "");
}

TEST(SplitMetricName, FindsSamplerAndDomain) {
  const MetricNameParts name =
      split_metric_name("pmsampling:SM_A.TriageCompute.l1tex__throughput.avg.pct_of_peak");
  EXPECT_EQ(name.sampler, "pmsampling");
  EXPECT_EQ(name.domain, "SM_A.TriageCompute");
  EXPECT_EQ(name.base, "l1tex__throughput");
  EXPECT_EQ(name.rollup, "avg");
  EXPECT_EQ(name.submetric, "pct_of_peak");
}

TEST(SplitMetricName, TakesAnyText) {
  EXPECT_EQ(split_metric_name("").base, "");
  EXPECT_EQ(split_metric_name("inst_executed").base, "inst_executed");
  EXPECT_EQ(split_metric_name("inst_executed").unit, "");
  EXPECT_EQ(split_metric_name("a.ratio").submetric, "ratio");
  EXPECT_EQ(split_metric_name("__").base, "__");
  for (const char* odd :
       {":", ".", "..", "__.", ":__.sum", "a__b__c.", "a:b:c__d..sum", "_", "a_"}) {
    decode_metric_name(split_metric_name(odd));  // does not hang or read past the end
  }
}

TEST(DecodeMetricName, PutsPartsIntoWords) {
  EXPECT_EQ(decoded("l1tex__t_sectors_pipe_lsu_mem_global_op_ld_lookup_miss.sum"),
            "l1tex: an SM's L1 and texture cache, which also is its shared memory\n"
            "t: the tag stage\n"
            "sectors: sectors of 32 bytes\n"
            "pipe_lsu: the load/store unit\n"
            "mem_global: global memory\n"
            "op_ld: loads\n"
            "lookup_miss: not found in the cache\n"
            "sum: over all instances of the unit together\n");
}

TEST(DecodeMetricName, TakesTheLongestPhrase) {
  EXPECT_EQ(decoded("sm__x_op_tma_ld_foo_bar.avg"),
            "sm: a streaming multiprocessor\n"
            "x: ?\n"
            "op_tma_ld: bulk loads (TMA)\n"
            "foo_bar: ?\n"
            "avg: the mean over all instances of the unit\n");
}

TEST(DecodeMetricName, KnowsStallReasonsInBothSpellings) {
  const std::string counter =
      decoded("smsp__average_warps_issue_stalled_not_selected_per_issue_active.ratio");
  EXPECT_NE(counter.find("stalled_not_selected: Its turn"), counter.npos) << counter;
  const std::string sample = decoded("smsp__pcsamp_warps_issue_stalled_no_instructions_not_issued");
  EXPECT_NE(sample.find("stalled_no_instructions: Its next instruction"), sample.npos) << sample;
}

TEST(DecodeMetricName, TheUnitIsNeverUnknown) {
  for (const std::string_view name : known_metric_names()) {
    const auto parts = decode_metric_name(split_metric_name(name));
    const MetricNameParts split = split_metric_name(name);
    for (const NamePart& part : parts) {
      if (part.text == split.unit) {
        EXPECT_FALSE(part.meaning.empty()) << name;
        break;
      }
    }
  }
}

TEST(NameTable, IsFrontCoded) {
  const std::string_view chunks[] = {"@ one two\n00abc x\n03d y\n", "01z z1 z2\n"};
  const NameTable table = read_name_table(chunks);
  EXPECT_EQ(table.legend, std::vector<std::string_view>({"one", "two"}));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[1].name, "abcd");
  EXPECT_EQ(table.rows[2].name, "az");
  EXPECT_EQ(table.find("abc")->data, "x");
  EXPECT_EQ(table.find("az")->data, "z1 z2");
  EXPECT_EQ(table.find("ab"), nullptr);
  EXPECT_EQ(table.with_prefix("abc").size(), 2u);
  EXPECT_TRUE(table.with_prefix("b").empty());
}

}  // namespace
}  // namespace proofline::metric_name_test
