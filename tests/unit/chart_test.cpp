// SPDX-License-Identifier: Apache-2.0
#include "views/charts/chart.h"

#include <gtest/gtest.h>
#include <re2/re2.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "views/charts/chart_scale.h"

namespace proofline::chart_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Chart chart_with(std::vector<ChartPoint> points, Scale x = Scale::kLinear,
                 Scale y = Scale::kLinear) {
  Chart chart;
  chart.title = "transpose";
  chart.x = {"n", "", x};
  chart.y = {"time", "ns", y};
  chart.series.push_back({"tiled", std::move(points), true, false});
  return chart;
}

std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// Every tag is closed by its own name, and text has no bare marks.
testing::AssertionResult is_well_formed(std::string_view svg) {
  static const RE2 kTag(
      R"re([^<>&]*(?:&(?:lt|gt|amp|quot|#39);[^<>&]*)*<(/?)([a-zA-Z]+)((?:\s+[a-zA-Z:-]+="[^"<]*")*)\s*(/?)>)re");
  std::vector<std::string> open;
  re2::StringPiece rest(svg.data(), svg.size());
  std::string closing;
  std::string name;
  std::string attributes;
  std::string empty;
  while (RE2::Consume(&rest, kTag, &closing, &name, &attributes, &empty)) {
    if (closing.empty() && empty.empty()) open.push_back(name);
    if (closing.empty()) continue;
    if (open.empty() || open.back() != name) return testing::AssertionFailure() << "</" << name;
    open.pop_back();
  }
  if (!open.empty() || rest != "\n") {
    return testing::AssertionFailure() << "stops at: " << rest.substr(0, 200);
  }
  return testing::AssertionSuccess();
}

using Places = std::vector<std::pair<double, double>>;

// The marks of points and names: where an outline starts.
Places marks(const std::string& svg) {
  static const RE2 kMark(R"re(class="mark" d="M([0-9.-]+) ([0-9.-]+)m)re");
  Places places;
  re2::StringPiece rest(svg);
  double x = 0;
  double y = 0;
  while (RE2::FindAndConsume(&rest, kMark, &x, &y)) places.emplace_back(x, y);
  return places;
}

struct Frame {
  double left = 0;
  double top = 0;
  double bottom = 0;
  double right = 0;
};

Frame frame(const std::string& svg) {
  Frame frame;
  EXPECT_TRUE(RE2::PartialMatch(
      svg, R"re(class="frame"[^>]* d="M([0-9.]+) ([0-9.]+)V([0-9.]+)H([0-9.]+)")re", &frame.left,
      &frame.top, &frame.bottom, &frame.right));
  return frame;
}

void expect_inside(const std::string& svg, std::size_t points) {
  const Frame plot = frame(svg);
  std::size_t inside = 0;
  for (const auto& [x, y] : marks(svg)) {
    if (x > plot.right) continue;  // beside a name
    ++inside;
    EXPECT_GE(x, plot.left);
    EXPECT_GE(y, plot.top);
    EXPECT_LE(y, plot.bottom);
  }
  EXPECT_EQ(inside, points);
}

std::vector<std::string> labels(const ChartScale& scale) {
  std::vector<std::string> texts;
  for (const ChartTick& tick : scale.ticks()) texts.push_back(tick.label);
  return texts;
}

ChartScale scale_of(const std::vector<double>& values, Scale scale, std::string_view unit,
                    std::size_t most = 8) {
  ChartExtent extent(scale);
  for (const double value : values) extent.add(value);
  extent.reach_zero(0.75);
  return {extent, unit, most};
}

using Texts = std::vector<std::string>;

TEST(ChartScaleTest, LinearTicksAreRoundAndStartAtZero) {
  EXPECT_EQ(labels(scale_of({12, 47}, Scale::kLinear, "")),
            (Texts{"0", "10", "20", "30", "40", "50"}));
}

TEST(ChartScaleTest, NearlyEqualValuesKeepDistinctLabels) {
  EXPECT_EQ(labels(scale_of({1.0001, 1.0003}, Scale::kLinear, "x", 4)),
            (Texts{"1.0001×", "1.0002×", "1.0003×"}));
}

TEST(ChartScaleTest, TimesAndRatesHavePrefixes) {
  EXPECT_EQ(labels(scale_of({900, 2e7}, Scale::kLog, "ns")),
            (Texts{"100 ns", "1 µs", "10 µs", "100 µs", "1 ms", "10 ms", "100 ms"}));
  EXPECT_EQ(chart_value_text(1.2e12, "B/s"), "1.2 TB/s");
  EXPECT_EQ(chart_value_text(250e3, "ns"), "250 µs");
  EXPECT_EQ(chart_value_text(999999, "ns"), "1 ms");
  EXPECT_EQ(chart_value_text(7.2e12, "ns"), "7200 s");
  EXPECT_EQ(chart_value_text(0.02, "FLOP/s"), "0.02 FLOP/s");
  EXPECT_EQ(chart_value_text(8192, ""), "8192");
  EXPECT_EQ(chart_value_text(2.5e6, ""), "2.5M");
}

TEST(ChartScaleTest, SizesThatArePowersOfTwoAreMarkedSo) {
  EXPECT_EQ(labels(scale_of({256, 512, 1024, 4096}, Scale::kLog, "")),
            (Texts{"256", "512", "1024", "2048", "4096"}));
  EXPECT_EQ(labels(scale_of({1024, 65536}, Scale::kLog, "", 4)),
            (Texts{"1 Ki", "4 Ki", "16 Ki", "64 Ki"}));
}

TEST(ChartScaleTest, TicksCoverTheDataWhateverItIs) {
  const std::vector<std::vector<double>> all = {
      {1, 2},           {3.3, 870},       {1e-9, 1e9},   {1e-149, 1e149}, {5, 5},  {1e149, 1e149},
      {1e-140, 1e-140}, {100, 100.00001}, {0.017, 0.99}, {7, 7e3, 7e6},   {3, 8.9}};
  for (const Scale scale : {Scale::kLinear, Scale::kLog}) {
    for (const std::vector<double>& values : all) {
      for (const std::size_t most : {3, 5, 8, 10}) {
        SCOPED_TRACE(testing::PrintToString(values) + " " + std::to_string(most));
        const ChartScale drawn = scale_of(values, scale, "ns", most);
        const auto& ticks = drawn.ticks();
        ASSERT_GE(ticks.size(), 2U);
        EXPECT_LE(ticks.size(), most);
        EXPECT_LE(ticks.front().value, values.front() * (1 + 1e-6));
        EXPECT_GE(ticks.back().value, values.back() * (1 - 1e-6));
        for (std::size_t i = 1; i < ticks.size(); ++i) {
          EXPECT_LT(drawn.position(ticks[i - 1].value), drawn.position(ticks[i].value));
          EXPECT_NE(ticks[i - 1].label, ticks[i].label);
        }
      }
    }
  }
}

TEST(ChartScaleTest, NegativeValuesAndZeros) {
  EXPECT_EQ(labels(scale_of({-3, 4}, Scale::kLinear, "")),
            (Texts{"-3", "-2", "-1", "0", "1", "2", "3", "4"}));
  EXPECT_EQ(labels(scale_of({0, 0}, Scale::kLinear, "")), (Texts{"0", "1"}));
}

TEST(ChartTest, PointsLieInThePlotInTheirOrder) {
  const std::string svg =
      draw_svg(chart_with({{1, 100, {}, {}, ""}, {2, 50, {}, {}, ""}, {3, 75, {}, {}, ""}}));
  EXPECT_TRUE(is_well_formed(svg));
  expect_inside(svg, 3);
  const Places places = marks(svg);
  EXPECT_LT(places[0].first, places[1].first);
  EXPECT_LT(places[0].second, places[2].second);  // higher values are further up
  EXPECT_LT(places[2].second, places[1].second);
}

TEST(ChartTest, IntervalsAreDrawnWhereThereAreSome) {
  const std::string with = draw_svg(chart_with({{1, 100, 90, 120, ""}, {2, 50, {}, {}, ""}}));
  EXPECT_EQ(count(with, "class=\"interval\""), 1U);
  EXPECT_EQ(count(with.substr(with.find("class=\"interval\"")), "h8"), 2U);  // one, with both ends
  const std::string unbounded =
      draw_svg(chart_with({{1, 100, -kInfinity, kInfinity, ""}, {2, 50, kNan, {}, ""}}));
  EXPECT_EQ(count(unbounded, "class=\"interval\""), 0U);
  EXPECT_EQ(count(unbounded, "nan"), 0U);
}

TEST(ChartTest, LogScaleLeavesOutAndCountsWhatItCannotShow) {
  const std::string svg = draw_svg(
      chart_with({{0, 5, {}, {}, ""}, {1, -5, {}, {}, ""}, {2, 5, 0, 6, ""}, {4, kNan, {}, {}, ""}},
                 Scale::kLog, Scale::kLog));
  expect_inside(svg, 1);
  EXPECT_NE(svg.find("3 points not shown"), std::string::npos);
  EXPECT_EQ(count(svg, "nan"), 0U);
  EXPECT_EQ(count(svg, "inf"), 0U);
}

TEST(ChartTest, HostileTextStaysText) {
  const std::string evil =
      "</text><script>alert('1')</script>&\"\x1b[31m\xff\xef\xbf\xbe\xe2\x80\xae";
  Chart chart = chart_with({{1, 1, {}, {}, evil}, {2, 2, {}, {}, evil}});
  chart.title = chart.caption = chart.x.title = chart.y.title = evil;
  chart.x.unit = chart.y.unit = evil;
  chart.series[0].name = evil;
  chart.series[0].labelled = true;
  chart.guides.push_back({evil, {{1, 1}, {2, 2}}});
  chart.arrows.push_back({1, 1, 2, 2, evil});
  const std::string svg = draw_svg(chart);
  EXPECT_TRUE(is_well_formed(svg));
  for (const char* bad :
       {"<script", "<foreignObject", "href", "\x1b", "\xff", "\xef\xbf\xbe", "\xe2\x80\xae"}) {
    EXPECT_EQ(count(svg, bad), 0U) << bad;
  }
}

TEST(ChartTest, LongNamesStayShortOnTheChart) {
  Chart chart = chart_with({{1, 1, {}, {}, std::string(1 << 18, 'x')}});
  chart.title = chart.caption = chart.series[0].name = std::string(1 << 18, 'y');
  chart.x.unit = chart.y.unit = chart.x.title = chart.y.title = chart.title;
  EXPECT_LT(draw_svg(chart).size(), 20'000U);
}

TEST(ChartTest, AnEmptyChartSaysSo) {
  for (const Scale scale : {Scale::kLinear, Scale::kLog}) {
    const std::string svg = draw_svg(chart_with({}, scale, scale));
    EXPECT_TRUE(is_well_formed(svg));
    EXPECT_NE(svg.find("no points to show"), std::string::npos);
    EXPECT_EQ(count(svg, "nan"), 0U);
  }
}

TEST(ChartTest, TheSameChartGivesTheSameBytes) {
  const Chart chart = chart_with({{1, 1, {}, {}, "a"}, {2, 3, 1, 4, "b"}});
  EXPECT_EQ(draw_svg(chart), draw_svg(chart));
}

TEST(ChartTest, ManyPointsTakeNoMoreRoomThanThePlotHas) {
  for (const bool line : {true, false}) {
    std::vector<std::size_t> sizes;
    for (const int points : {10'000, 50'000}) {
      Chart chart = chart_with({});
      chart.series[0].line = line;
      for (int i = 0; i < points; ++i) {
        chart.series[0].points.push_back(
            {static_cast<double>(i), 1000.0 + i * 7919 % 1000, {}, {}, ""});
      }
      sizes.push_back(draw_svg(chart).size());
    }
    EXPECT_LT(sizes[1], 400'000U);
    EXPECT_LT(sizes[1], 3 * sizes[0]);
  }
}

TEST(ChartTest, TheHighestAndLowestOfManyPointsAreKept) {
  Chart chart = chart_with({});
  for (int i = 0; i < 5000; ++i) {
    chart.series[0].points.push_back({static_cast<double>(i), i == 2500 ? 9.0 : 5.0, {}, {}, ""});
  }
  const std::string svg = draw_svg(chart);
  const std::string line = svg.substr(svg.find("class=\"line\""));
  double top = 1e9;
  re2::StringPiece rest(line);
  double y = 0;
  while (RE2::FindAndConsume(&rest, R"re([ML][0-9.]+ ([0-9.]+))re", &y)) top = std::min(top, y);
  EXPECT_LT(top, frame(svg).top + 60);
}

TEST(ChartTest, SeriesBeyondWhatCanBeNamedAreCounted) {
  Chart chart = chart_with({{1, 1, {}, {}, ""}, {2, 2, {}, {}, ""}});
  chart.series.resize(23, chart.series[0]);
  const std::string svg = draw_svg(chart);
  EXPECT_NE(svg.find("3 more series not shown"), std::string::npos);
  EXPECT_EQ(count(svg, ">tiled</text>"), 20U);
}

TEST(ChartTest, NamesOfSeriesDoNotOverlap) {
  Chart chart = chart_with({{1, 1, {}, {}, ""}, {2, 2, {}, {}, ""}});
  chart.series.resize(12, chart.series[0]);
  const std::string svg = draw_svg(chart);
  std::vector<double> heights;
  const Frame plot = frame(svg);
  for (const auto& [x, y] : marks(svg)) {
    if (x > plot.right) heights.push_back(y);
  }
  ASSERT_EQ(heights.size(), 12U);
  std::sort(heights.begin(), heights.end());
  for (std::size_t i = 1; i < heights.size(); ++i) EXPECT_GE(heights[i] - heights[i - 1], 16);
  EXPECT_GE(heights.front(), plot.top);
  EXPECT_LE(heights.back(), plot.bottom);
}

TEST(ChartTest, GuidesAndArrowsAreInTheRange) {
  Chart chart = chart_with({{10, 10, {}, {}, ""}}, Scale::kLog, Scale::kLog);
  chart.guides.push_back({"roof", {{1, 100}, {1000, 100}, {0, 5}}});
  chart.arrows.push_back({10, 10, 20, 40, "4\u00d7"});
  chart.arrows.push_back({10, 10, 0, 40, "never"});
  const std::string svg = draw_svg(chart);
  EXPECT_TRUE(is_well_formed(svg));
  EXPECT_EQ(count(svg, "class=\"guide\""), 1U);
  EXPECT_EQ(count(svg, "class=\"arrow\""), 1U);
  EXPECT_NE(svg.find(">roof</text>"), std::string::npos);
  EXPECT_NE(svg.find(">4\u00d7</text>"), std::string::npos);
  EXPECT_EQ(count(svg, "never"), 0U);
}

}  // namespace
}  // namespace proofline::chart_test
