// SPDX-License-Identifier: Apache-2.0
//
// What time a measurement means, with samples that were throttled and without any.
#include "analysis/measurement/measured_time.h"

#include <gtest/gtest.h>

#include <string>

#include "store/entries/result_entries.h"

namespace proofline::measured_time_test {
namespace {

TEST(MeasuredTime, ThrottledSamplesCountLikeAnyOther) {
  Measurement measurement;
  measurement.samples = {
      {10, 1200, true, 0, 700}, {20, 1980, false, 0, {}}, {30, 1960, false, 0, 400}};
  const MeasuredTime time = measured_time(measurement);
  EXPECT_EQ(time.median_ns, 20);
  EXPECT_EQ(time.samples, 3U);
  EXPECT_EQ(time.throttled, 1U);
  EXPECT_FALSE(time.throttled_only);
  EXPECT_EQ(time.sm_mhz, 1960);
  EXPECT_EQ(time.watts, 550) << "of those that are known";
  EXPECT_FALSE(time.interval) << "three samples bound nothing";
}

TEST(MeasuredTime, OfSeveralStartsEachIsOneValue) {
  Measurement measurement;
  for (std::uint32_t run = 0; run < 10; ++run) {
    for (int i = 0; i < 100; ++i)
      measurement.samples.push_back({1000.0 + 10 * run, {}, false, run, {}});
  }
  const MeasuredTime time = measured_time(measurement);
  EXPECT_EQ(time.starts, 10U);
  ASSERT_TRUE(time.interval);
  EXPECT_LE(time.interval->low, 1010);  // the second of ten
  EXPECT_GE(time.interval->high, 1080);
}

TEST(MeasuredTime, ThrottledSamplesAloneAreMarked) {
  Measurement measurement;
  // In no order, or they would wander.
  for (int i = 0; i < 20; ++i) {
    measurement.samples.push_back({100.0 + i * 7 % 20, 1200, true, 0, 700});
  }
  const MeasuredTime time = measured_time(measurement);
  EXPECT_EQ(time.median_ns, 109.5);
  EXPECT_EQ(time.samples, 20U);
  EXPECT_EQ(time.throttled, 20U);
  EXPECT_TRUE(time.throttled_only);
  EXPECT_TRUE(time.interval);
  EXPECT_TRUE(time.spread);
  EXPECT_EQ(time.watts, 700);
}

// Their median is known to no precision at all, however many there are.
TEST(MeasuredTime, SamplesThatWanderHaveNoInterval) {
  Measurement measurement;
  for (int i = 0; i < 1000; ++i) measurement.samples.push_back({100.0 + i, {}, false, 0, {}});
  EXPECT_FALSE(measured_time(measurement).interval);
}

TEST(MeasuredTime, WithoutSamplesItIsTheSummary) {
  Measurement measurement;
  EXPECT_FALSE(measured_time(measurement).median_ns);
  EXPECT_FALSE(measured_time(measurement).throttled_only);
  measurement.summary_ns = 7;
  measurement.summary_of = 40;
  EXPECT_EQ(measured_time(measurement).median_ns, 7);
  EXPECT_EQ(measured_time(measurement).samples, 40U);
}

TEST(MeasuredTime, TheJournalKeepsTheSame) {
  BenchmarkSeries series;
  Measurement& measurement = series.sides.emplace_back().benchmark.measurements.emplace_back();
  measurement.samples = {{10, {}, true, 0, {}}, {30, {}, true, 0, {}}};
  RecordedMeasurement kept = recorded_sides(series).at(0).measurements.at(0);
  EXPECT_EQ(kept.median_ns, 20);
  EXPECT_EQ(kept.samples, 2U);
  EXPECT_TRUE(kept.throttled_only);
  measurement.samples.push_back({50, {}, false, 0, {}});
  kept = recorded_sides(series).at(0).measurements.at(0);
  EXPECT_EQ(kept.median_ns, 30);
  EXPECT_EQ(kept.samples, 3U);
  EXPECT_FALSE(kept.throttled_only);
}

}  // namespace
}  // namespace proofline::measured_time_test
