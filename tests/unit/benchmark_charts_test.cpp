// SPDX-License-Identifier: Apache-2.0
#include "views/charts/benchmark_charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace proofline::benchmark_charts_test {
namespace {

std::vector<Axis> size(int n) { return {{"n", std::to_string(n)}}; }

// Ten samples round the time.
Measurement measured(const std::string& implementation, std::vector<Axis> axes, double ns) {
  Measurement one;
  one.benchmark = "transpose";
  one.implementation = implementation;
  one.axes = std::move(axes);
  // In no order, or they would wander.
  for (int i = 0; i < 11; ++i) {
    one.samples.push_back({ns * (1 + (i * 4 % 11 - 5) * 0.01), {}, false, 0, {}});
  }
  return one;
}

BenchmarkSeries series_with(std::vector<std::vector<Measurement>> sides) {
  BenchmarkSeries series;
  for (std::size_t i = 0; i < sides.size(); ++i) {
    BenchmarkSide& side = series.sides.emplace_back();
    side.label = i == 0 ? "before" : "after";
    side.benchmark.machine.gpu = "NVIDIA H200";
    side.benchmark.measurements = std::move(sides[i]);
  }
  return series;
}

// One chart of this kind, and why not where there is none.
Result<Chart> only(const BenchmarkSeries& series, ChartKind kind,
                   const BenchmarkChartOptions& options = {}) {
  auto charts = benchmark_charts(series, {kind}, options);
  if (!charts) return tl::make_unexpected(charts.error());
  if (charts->charts.empty()) return fail(ErrorKind::kInput, charts->missing.front());
  EXPECT_EQ(charts->charts.size(), 1U);
  return charts->charts.front().chart;
}

std::vector<std::string> names(const Chart& chart) {
  std::vector<std::string> result;
  for (const ChartSeries& series : chart.series) result.push_back(series.name);
  return result;
}

using Names = std::vector<std::string>;

TEST(BenchmarkChartsTest, LatencyOfEachImplementationWithIntervals) {
  const auto chart =
      only(series_with({{measured("naive", size(2048), 400), measured("naive", size(1024), 100),
                         measured("tiled", size(1024), 50)}}),
           ChartKind::kLatency);
  ASSERT_TRUE(chart) << chart.error().message;
  EXPECT_EQ(chart->x.title, "n");
  EXPECT_EQ(chart->y.unit, "ns");
  EXPECT_EQ(names(*chart), (Names{"naive", "tiled"}));
  const ChartPoint& first = chart->series[0].points[0];  // in the order of the sizes
  EXPECT_EQ(first.x, 1024);
  EXPECT_DOUBLE_EQ(first.y, 100);
  ASSERT_TRUE(first.low && first.high);
  EXPECT_LT(*first.low, 100);
  EXPECT_GT(*first.high, 100);
  EXPECT_NE(chart->caption.find("NVIDIA H200"), std::string::npos);
}

TEST(BenchmarkChartsTest, ThrottledSamplesCountAndFewSamplesHaveNoInterval) {
  Measurement one = measured("naive", size(1), 100);
  one.samples = {{100, {}, false, 0, {}}, {900, {}, true, 0, {}}, {900, {}, true, 0, {}}};
  Measurement summary = measured("naive", size(2), 100);
  summary.samples.clear();
  summary.summary_ns = 70;
  const auto chart = only(series_with({{one, summary}}), ChartKind::kLatency);
  ASSERT_TRUE(chart);
  const auto& points = chart->series[0].points;
  EXPECT_EQ(points[0].y, 900);
  EXPECT_FALSE(points[0].low);
  EXPECT_EQ(points[1].y, 70);
}

TEST(BenchmarkChartsTest, WhatIsWrongOrFailedIsCountedNotDrawn) {
  Measurement wrong = measured("naive", size(4), 1);
  wrong.state = MeasurementState::kWrong;
  const auto chart =
      only(series_with({{measured("naive", size(2), 10), wrong}}), ChartKind::kLatency);
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->series[0].points.size(), 1U);
  EXPECT_NE(chart->caption.find("1 wrong"), std::string::npos);
}

TEST(BenchmarkChartsTest, WhatIsThrottledThroughoutIsDrawnAndSaid) {
  Measurement throttled = measured("naive", size(8), 50);
  for (Sample& sample : throttled.samples) sample.throttled = true;
  const auto chart =
      only(series_with({{measured("naive", size(2), 10), throttled}}), ChartKind::kLatency);
  ASSERT_TRUE(chart);
  ASSERT_EQ(chart->series[0].points.size(), 2U);
  EXPECT_EQ(chart->series[0].points[1].y, 50);
  EXPECT_NE(chart->caption.find("1 throttled throughout"), std::string::npos) << chart->caption;
}

TEST(BenchmarkChartsTest, OtherAxesTellSeriesApartUnlessTheyFollowFromX) {
  const auto axes = [](const char* m, const char* n, const char* dtype) {
    return std::vector<Axis>{{"dtype", dtype}, {"M", m}, {"N", n}, {"pages", "4"}};
  };
  const auto chart = only(series_with({{measured("gemm", axes("64", "64", "f16"), 1),
                                        measured("gemm", axes("128", "128", "f16"), 2),
                                        measured("gemm", axes("128", "128", "f32"), 3)}}),
                          ChartKind::kLatency);
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->x.title, "M = N");
  EXPECT_EQ(names(*chart), (Names{"gemm dtype=f16", "gemm dtype=f32"}));
}

TEST(BenchmarkChartsTest, AnAxisCanBeChosenAndMustBeThere) {
  const auto axes = [](const char* m, const char* k) {
    return std::vector<Axis>{{"M", m}, {"K", k}};
  };
  const BenchmarkSeries series =
      series_with({{measured("gemm", axes("1", "8"), 1), measured("gemm", axes("2", "8"), 2)}});
  BenchmarkChartOptions options;
  options.x_axis = "K";
  const auto chart = only(series, ChartKind::kLatency, options);
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->x.title, "K");
  EXPECT_EQ(names(*chart), (Names{"gemm M=1", "gemm M=2"}));
  options.x_axis = "N";
  const auto refused = only(series, ChartKind::kLatency, options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_NE(refused.error().message.find("\"M\", \"K\""), std::string::npos);
}

TEST(BenchmarkChartsTest, WithoutANumberToPlotAgainstThereIsNoChart) {
  const auto chart =
      only(series_with({{measured("gemm", {{"dtype", "f16"}}, 1)}}), ChartKind::kLatency);
  ASSERT_FALSE(chart);
  EXPECT_NE(chart.error().message.find("no axis"), std::string::npos);
}

TEST(BenchmarkChartsTest, ThroughputIsWhatWasDeclaredOverTheTime) {
  Measurement one = measured("naive", size(2), 1000);
  one.bytes = 4e6;
  const auto chart = only(series_with({{one}}), ChartKind::kThroughput);
  ASSERT_TRUE(chart);
  EXPECT_EQ(chart->y.unit, "B/s");
  const ChartPoint& point = chart->series[0].points[0];
  EXPECT_DOUBLE_EQ(point.y, 4e12);
  EXPECT_LT(*point.low, point.y);
  EXPECT_GT(*point.high, point.y);
}

TEST(BenchmarkChartsTest, SpeedupIsAgainstTheFirstInTheSameConfiguration) {
  const auto chart = only(series_with({{measured("k", size(1), 100), measured("k", size(2), 300)},
                                       {measured("k", size(2), 100), measured("k", size(3), 100)}}),
                          ChartKind::kSpeedup);
  ASSERT_TRUE(chart);
  EXPECT_EQ(names(*chart), (Names{"before", "after"}));
  ASSERT_EQ(chart->series[1].points.size(), 1U);  // nothing to compare n=3 with
  EXPECT_DOUBLE_EQ(chart->series[1].points[0].y, 3);
  EXPECT_LT(*chart->series[1].points[0].low, 3);
  EXPECT_EQ(chart->series[0].points[0].y, 1);
  EXPECT_FALSE(chart->series[0].points[0].low);
}

// Of n=2: half the time.
Decision halved() {
  Decision decision;
  DecidedConfiguration& one = decision.configurations.emplace_back();
  one.benchmark = "transpose";
  one.axes = size(2);
  one.time = {0.5, 0.4, 0.8};
  one.pairs = 12;
  return decision;
}

TEST(BenchmarkChartsTest, ADecisionsIntervalsAreUsed) {
  const Decision decision = halved();
  BenchmarkChartOptions options;
  options.decision = &decision;
  const auto chart =
      only(series_with({{measured("k", size(2), 100)}}), ChartKind::kSpeedup, options);
  ASSERT_TRUE(chart);
  EXPECT_EQ(names(*chart), (Names{"A", "B"}));
  const ChartPoint& point = chart->series[1].points[0];
  EXPECT_DOUBLE_EQ(point.y, 2);
  EXPECT_DOUBLE_EQ(*point.low, 1.25);
  EXPECT_DOUBLE_EQ(*point.high, 2.5);
}

TEST(BenchmarkChartsTest, WhatWasDecidedHasTheNamesOfItsSides) {
  const BenchmarkSeries series =
      series_with({{measured("k", size(2), 100)}, {measured("k", size(2), 50)}});
  Decision decision = halved();
  BenchmarkChartOptions options;
  options.decision = &decision;
  const auto paired = only(series, ChartKind::kSpeedup, options);
  ASSERT_TRUE(paired);
  const auto by_medians = only(series, ChartKind::kSpeedup);
  ASSERT_TRUE(by_medians);
  EXPECT_EQ(names(*paired), names(*by_medians));
  EXPECT_DOUBLE_EQ(*paired->series[1].points[0].low, 1.25);
  // What was not compared in pairs is compared by medians.
  decision.configurations[0].pairs = 0;
  const auto fallen_back = only(series, ChartKind::kSpeedup, options);
  ASSERT_TRUE(fallen_back);
  EXPECT_EQ(fallen_back->caption, by_medians->caption);
}

TEST(BenchmarkChartsTest, OneImplementationHasNoSpeedup) {
  const auto chart = only(series_with({{measured("k", size(1), 100)}}), ChartKind::kSpeedup);
  ASSERT_FALSE(chart);
  EXPECT_NE(chart.error().message.find("no two implementations"), std::string::npos);
}

TEST(BenchmarkChartsTest, ScalingNamesTheSlopesRoundWhatWasMeasured) {
  const auto slopes = [](double power) {
    std::vector<Measurement> all;
    for (int n = 64; n <= 4096; n *= 2) all.push_back(measured("k", size(n), std::pow(n, power)));
    const auto chart = only(series_with({std::move(all)}), ChartKind::kScaling);
    Names found;
    if (!chart) return found;
    EXPECT_EQ(chart->x.scale, Scale::kLog);
    EXPECT_EQ(chart->y.scale, Scale::kLog);
    for (const ChartGuide& guide : chart->guides) {
      found.push_back(guide.name);
      EXPECT_EQ(guide.corners.front().first, 4096);
    }
    return found;
  };
  EXPECT_EQ(slopes(1.7), (Names{"∝ n log n", "∝ n²"}));
  EXPECT_EQ(slopes(2.5), (Names{"∝ n²", "∝ n³"}));
  EXPECT_EQ(slopes(0.5), (Names{"constant", "∝ n"}));
  EXPECT_EQ(slopes(4), (Names{"∝ n³"}));
}

TEST(BenchmarkChartsTest, ScalingNeedsTwoSizesAboveZero) {
  EXPECT_FALSE(only(series_with({{measured("k", size(8), 100)}}), ChartKind::kScaling));
  EXPECT_FALSE(only(series_with({{measured("k", size(-8), 100), measured("k", size(0), 100)}}),
                    ChartKind::kScaling));
  // Measured twice at the largest size.
  EXPECT_TRUE(only(series_with({{measured("k", size(4), 100), measured("k", size(8), 100),
                                 measured("k", size(8), 100)}}),
                   ChartKind::kScaling));
}

Measurement with_work(Measurement one, double flops, double bytes) {
  one.flops = flops;
  one.bytes = bytes;
  return one;
}

TEST(BenchmarkChartsTest, RooflineHasRoofsAndAnArrowFromBeforeToAfter) {
  BenchmarkChartOptions options;
  options.roofs = {{"DRAM", 4e12, true}, {"fp32", 60e12, false}};
  const auto chart = only(series_with({{with_work(measured("k", size(8), 2000), 8e9, 1e9)},
                                       {with_work(measured("k", size(8), 1000), 8e9, 5e8)}}),
                          ChartKind::kRoofline, options);
  ASSERT_TRUE(chart);
  EXPECT_EQ(names(*chart), (Names{"before", "after"}));
  EXPECT_EQ(chart->series[0].points[0].x, 8);
  EXPECT_DOUBLE_EQ(chart->series[0].points[0].y, 4e15);
  EXPECT_FALSE(chart->series[0].line);
  ASSERT_EQ(chart->arrows.size(), 1U);
  EXPECT_EQ(chart->arrows[0].from_x, 8);
  EXPECT_EQ(chart->arrows[0].to_x, 16);
  EXPECT_EQ(chart->arrows[0].label, "2×");
  ASSERT_EQ(chart->guides.size(), 2U);
  EXPECT_EQ(chart->guides[0].name, "DRAM 4 TB/s");
  // They meet at the ridge.
  EXPECT_EQ(chart->guides[0].corners.back(), chart->guides[1].corners.front());
  EXPECT_EQ(chart->guides[0].corners.back(), (std::pair<double, double>(15, 60e12)));
}

TEST(BenchmarkChartsTest, RooflineWithoutSizesOrRoofsOrWork) {
  const auto chart =
      only(series_with({{with_work(measured("k", {}, 10), 8, 2)}}), ChartKind::kRoofline);
  ASSERT_TRUE(chart);
  EXPECT_EQ(names(*chart), (Names{"k"}));
  EXPECT_NE(chart->caption.find("No roofs"), std::string::npos);
  EXPECT_FALSE(only(series_with({{measured("k", size(8), 10)}}), ChartKind::kRoofline));
}

// What `bench` measures of two programs has no axis; its samples have a distribution.
TEST(BenchmarkChartsTest, OneConfigurationIsDrawnAsItsDistributions) {
  const auto chart = only(series_with({{measured("", {}, 100)}, {measured("", {}, 50)}}),
                          ChartKind::kDistribution);
  ASSERT_TRUE(chart) << chart.error().message;
  EXPECT_EQ(names(*chart), (Names{"before", "after"}));
  for (const ChartSeries& series : chart->series) {
    EXPECT_EQ(series.points.front().y, 0);
    EXPECT_DOUBLE_EQ(series.points.back().y, 100);
    EXPECT_TRUE(std::is_sorted(series.points.begin(), series.points.end(),
                               [](const auto& a, const auto& b) { return a.x < b.x; }));
  }
  EXPECT_DOUBLE_EQ(chart->series[1].points.front().x, 47.5);
  EXPECT_DOUBLE_EQ(chart->series[1].points.back().x, 52.5);
  EXPECT_FALSE(only(series_with({{measured("", size(1), 1), measured("", size(2), 2)}}),
                    ChartKind::kDistribution));
}

TEST(BenchmarkChartsTest, SpeedUpsAreAgainstTheBaselineThatWasAskedFor) {
  const BenchmarkSeries series =
      series_with({{measured("naive", size(8), 400), measured("tiled", size(8), 100)}});
  BenchmarkChartOptions options;
  options.baseline = "tiled";
  const auto chart = only(series, ChartKind::kSpeedup, options);
  ASSERT_TRUE(chart) << chart.error().message;
  EXPECT_DOUBLE_EQ(chart->series[0].points[0].y, 0.25);
  EXPECT_DOUBLE_EQ(chart->series[1].points[0].y, 1);
  EXPECT_NE(chart->caption.find("Against tiled"), std::string::npos);
  options.baseline = "titled";
  const auto unknown = only(series, ChartKind::kSpeedup, options);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().kind, ErrorKind::kUsage);
  EXPECT_NE(unknown.error().message.find("naive, tiled"), std::string::npos);
}

TEST(BenchmarkChartsTest, WhatManyLackForOneReasonIsSaidOnce) {
  BenchmarkSeries series;
  series.sides.emplace_back();
  for (int i = 0; i < 32; ++i) {
    series.sides[0].benchmark.measurements.push_back(measured("", {}, 10));
    series.sides[0].benchmark.measurements.back().benchmark = "case" + std::to_string(i);
  }
  const auto charts = benchmark_charts(series, {ChartKind::kThroughput}, {});
  ASSERT_TRUE(charts);
  ASSERT_EQ(charts->missing.size(), 2U);
  EXPECT_EQ(charts->missing[0],
            "no throughput-bytes of 32 benchmarks, \"case0\" first: no measurement declares its "
            "bytes");
}

TEST(BenchmarkChartsTest, EachBenchmarkHasItsOwnFilesWithSafeNames) {
  BenchmarkSeries series = series_with(
      {{measured("k", size(8), 10), measured("k", size(8), 10), measured("k", size(8), 10)}});
  auto& all = series.sides[0].benchmark.measurements;
  all[0].benchmark = "../../etc/Passwd";
  all[1].benchmark = "etc passwd";
  all[2].benchmark = "\x1b\xff";
  const auto charts = benchmark_charts(series, {ChartKind::kLatency}, {});
  ASSERT_TRUE(charts);
  Names stems;
  for (const BenchmarkChart& one : charts->charts) stems.push_back(one.stem);
  EXPECT_EQ(stems, (Names{"latency-etc-passwd", "latency-etc-passwd-2", "latency"}));
}

TEST(BenchmarkChartsTest, NothingTimedIsSaid) {
  Measurement failed = measured("k", size(8), 10);
  failed.state = MeasurementState::kFailed;
  EXPECT_FALSE(only(series_with({{failed}}), ChartKind::kLatency));
  const auto none = benchmark_charts({}, {ChartKind::kLatency}, {});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->charts.empty());
}

TEST(BenchmarkChartsTest, WildNumbersDrawWithoutHarm) {
  Measurement tiny = measured("k", {{"n", "1e-300"}}, 1e-300);
  Measurement huge = measured("k", {{"n", "1e308"}}, 1e300);
  Measurement odd = measured("k", {{"n", "-5"}}, 3);
  for (Measurement* one : {&tiny, &huge, &odd}) {
    one->bytes = 1e300;
    one->flops = 1e-300;
  }
  const std::vector<ChartKind> kinds(kChartKinds.begin(), kChartKinds.end());
  const auto charts =
      benchmark_charts(series_with({{tiny, huge, odd}, {huge, tiny, odd}}), kinds, {});
  ASSERT_TRUE(charts);
  EXPECT_FALSE(charts->charts.empty());
  for (const BenchmarkChart& one : charts->charts) {
    const std::string svg = draw_svg(one.chart);
    const std::string shapes = svg.substr(svg.find("<g class=\"grid\""));
    EXPECT_EQ(shapes.find("=\"nan"), std::string::npos) << one.stem;
    EXPECT_EQ(shapes.find("Mnan"), std::string::npos) << one.stem;
    EXPECT_EQ(shapes.find("inf\""), std::string::npos) << one.stem;
  }
}

}  // namespace
}  // namespace proofline::benchmark_charts_test
