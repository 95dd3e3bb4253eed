// SPDX-License-Identifier: Apache-2.0
//
// Reading the instances of some metrics only: those are complete, the others cost nothing, and
// every byte is accounted for as ever.
#include "readers/read_profile.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "diagnosis/diagnose.h"
#include "support/report_builder.h"

namespace proofline::read_profile_test {
namespace {

using namespace proofline::test_support;  // NOLINT: the builder's words are what these tests are
                                          // made of

Result<Profile> read(const std::string& bytes, const ReadOptions& options) {
  auto input = Input::from_memory(bytes, "report");
  auto profile = read_profile(*input, options);
  if (profile) {
    EXPECT_EQ(profile->bytes.total, bytes.size());
    EXPECT_EQ(profile->bytes.total, profile->bytes.used + profile->bytes.skipped);
  }
  return profile;
}

const Metric& metric(const Profile& profile, std::string_view name) {
  return *profile.launches.at(0).find(*profile.metric_names.find(name));
}

TEST(InstancesOf, AreReadForTheMetricsThatWereAskedFor) {
  ReportBlock block;
  block.strings = {"wanted", "other"};
  Fields wanted = integer_metric(0, 3);
  Fields other = integer_metric(1, 3);
  for (std::uint64_t i = 0; i < 3; ++i) {
    const Fields instance =
        Fields().message(1, Fields().integer(5, 0x100 + i)).message(2, Fields().integer(5, i));
    wanted.message(3, instance);
    other.message(3, instance);
  }
  block.kernels = {kernel("k").message(13, wanted).message(13, other)};
  const std::string bytes = report({block});
  const auto none = read(bytes, {});
  const auto some = read(bytes, {.instances_of = {"wanted"}});
  const auto all = read(bytes, {.instances = true});
  ASSERT_TRUE(none && some && all);
  ASSERT_TRUE(metric(*some, "wanted").instances);
  EXPECT_EQ(column_size(metric(*some, "wanted").instances->values), 3U);
  EXPECT_EQ(column_at(metric(*some, "wanted").instances->correlation, 2),
            Value{std::uint64_t{0x102}});
  EXPECT_FALSE(metric(*some, "other").instances);
  EXPECT_TRUE(metric(*some, "other").has_instances);
  EXPECT_EQ(metric(*some, "other").value, Value{std::uint64_t{3}});
  EXPECT_EQ(all->bytes.skipped, 0U);
  EXPECT_GT(some->bytes.skipped, 0U);
  EXPECT_GT(none->bytes.skipped, some->bytes.skipped);
}

TEST(InstancesOf, HoldForPrintedPagesToo) {
  const std::string path =
      PROOFLINE_SOURCE_DIR "/tests/fixtures/ncu_rep/h200-detailed.instances.csv.gz";
  const auto all = read_profile(path, {.instances = true});
  const auto some = read_profile(path, diagnosis_read_options());
  ASSERT_TRUE(all && some);
  std::size_t read = 0;
  std::size_t left_out = 0;
  for (const Metric& expected : all->launches.at(0).metrics) {
    const Metric* found = some->launches.at(0).find(expected.id);
    ASSERT_NE(found, nullptr);
    EXPECT_EQ(found->value, expected.value);
    if (!expected.instances) continue;
    const bool wanted =
        diagnosis_read_options().wants_instances(all->metric_names[expected.id].name);
    EXPECT_EQ(found->instances != nullptr, wanted) << all->metric_names[expected.id].name;
    (wanted ? read : left_out)++;
    if (found->instances) {
      EXPECT_EQ(found->instances->values, expected.instances->values);
    }
  }
  EXPECT_GT(read, 10U);
  EXPECT_GT(left_out, read);
}

using Numbers = std::vector<std::uint64_t>;

// Instances as (correlation, value) pairs, without those that count nothing.
std::vector<std::pair<std::uint64_t, std::uint64_t>> counted(const Instances& instances) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> pairs;
  const auto* values = std::get_if<Numbers>(&instances.values);
  const auto* places = std::get_if<Numbers>(&instances.correlation);
  if (values == nullptr || places == nullptr) return pairs;
  for (std::size_t i = 0; i < values->size(); ++i) {
    if (values->at(i) != 0) pairs.emplace_back(places->at(i), values->at(i));
  }
  return pairs;
}

TEST(InstancesOf, OfARealReportAreTheSameAsWithAllOfThem) {
  const std::string path = PROOFLINE_SOURCE_DIR "/examples/h200-kernels.ncu-rep.gz";
  const auto all = read_profile(path, {.instances = true});
  const auto some = read_profile(path, diagnosis_read_options());
  ASSERT_TRUE(all && some);
  std::size_t read = 0;
  for (std::size_t i = 0; i < all->launches.size(); ++i) {
    for (const Metric& expected : all->launches[i].metrics) {
      const Metric* found = some->launches[i].find(expected.id);
      ASSERT_NE(found, nullptr);
      if (!found->instances) continue;
      ++read;
      const std::string& name = all->metric_names[expected.id].name;
      if (name.find("pcsamp") != std::string::npos) {
        EXPECT_EQ(counted(*found->instances), counted(*expected.instances)) << name;
        continue;
      }
      EXPECT_EQ(found->instances->values, expected.instances->values) << name;
      EXPECT_EQ(found->instances->correlation, expected.instances->correlation) << name;
    }
  }
  EXPECT_GE(read, 20 * all->launches.size());
}

TEST(InstancesOf, LeaveOutWhatNoAnalysisReads) {
  const ReadOptions options = diagnosis_read_options();
  EXPECT_TRUE(options.wants_instances("inst_executed"));
  EXPECT_TRUE(options.wants_instances("smsp__pcsamp_warps_issue_stalled_barrier"));
  EXPECT_TRUE(options.wants_instances("sass__inst_executed_per_opcode"));
  EXPECT_FALSE(options.wants_instances("smsp__pcsamp_warps_issue_stalled_barrier_not_issued"));
  EXPECT_FALSE(options.wants_instances("thread_inst_executed"));
  EXPECT_FALSE(options.wants_instances("pmsampling:dram__throughput"));
}

}  // namespace
}  // namespace proofline::read_profile_test
