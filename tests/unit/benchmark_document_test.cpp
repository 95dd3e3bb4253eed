// SPDX-License-Identifier: Apache-2.0
//
// What people and programs are shown of measurements.
#include "views/measurement/benchmark_document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "readers/benchmark/benchmark.h"
#include "views/measurement/benchmark_rows.h"
#include "views/view.h"

namespace proofline::benchmark_document_test {
namespace {

BenchmarkSeries fixture(std::string_view name) {
  const auto path = std::filesystem::path(PROOFLINE_SOURCE_DIR) / "tests/fixtures/benchmark" / name;
  auto series = read_benchmark(path.string());
  if (!series) {
    ADD_FAILURE() << series.error().message;
    return {};
  }
  series->sides.front().benchmark.path = name;
  return *series;
}

std::string rendered(Document document, std::string_view format) {
  std::string text;
  Output output(text);
  ViewOptions options;
  options.width = 200;
  find_view(format)->render({[&] { return document; }, [](JsonWriter&) {}}, options, output);
  output.flush();
  return text;
}

std::string shown(const BenchmarkSeries& series) {
  return rendered(compose_benchmark(series), "terminal");
}

std::string line_with(std::string_view text, std::string_view part) {
  const std::size_t at = text.find(part);
  if (at == text.npos) return "";
  const std::size_t start = text.rfind('\n', at) + 1;
  return std::string(text.substr(start, text.find('\n', at) - start));
}

void expect_parts(std::string_view text, std::initializer_list<std::string_view> parts) {
  for (const std::string_view part : parts) {
    EXPECT_NE(text.find(part), std::string_view::npos) << part << " in\n" << text;
  }
}

TEST(BenchmarkDocument, SaysWhatAndHow) {
  const std::string text = shown(fixture("ours.json"));
  expect_parts(text, {"NVIDIA H200, cc 9.0, driver 580.95.05, CUDA 13.0", "at most 1980 MHz",
                      "./transpose --n 8192"});
  expect_parts(line_with(text, "Median"),
               {"Benchmark", "Implementation", "n", "95 % interval", "Spread", "GB/s", "State"});
  EXPECT_EQ(text.find("TFLOP/s"), std::string::npos);  // nobody declared any
  // The median of all eight; 536870912 bytes in 131.2375 us.
  expect_parts(line_with(text, "tiled"), {"8192", "131.24 us", "too few runs", "4090.8", "8",
                                          "cuda-graph, hot cache", "measured"});
  expect_parts(line_with(text, "naive"), {"too few samples"});
}

TEST(BenchmarkDocument, OddThingsStandOut) {
  const std::string text = shown(fixture("ours.json"));
  expect_parts(text, {"throttled samples: 1", "stopped at a limit before"});
  expect_parts(line_with(text, "vector  "), {"8192", "-", "wrong"});
  expect_parts(text, {"transpose vector n=8192  wrong: 17 of 67,108,864 elements are beyond"});
}

TEST(BenchmarkDocument, AxesAreColumnsWhereAllRowsHaveThem) {
  BenchmarkSeries series = fixture("nvbench-two-gpus.json");
  expect_parts(line_with(shown(series), "Median"), {"Device", "Elements"});
  series.sides[0].benchmark.measurements[0].axes.pop_back();
  const std::string text = shown(series);
  expect_parts(line_with(text, "Median"), {"Configuration"});
  expect_parts(text, {"Device=1 Elements=1024"});
}

TEST(BenchmarkDocument, SummariesSayWhatTheyAre) {
  const std::string text = shown(fixture("nvbench-jsonbin.json"));
  expect_parts(line_with(text, "sort_on_host"), {"12.50 ms (mean)", " - ", "30", "wall-clock"});
  expect_parts(text, {"skipped: Warmup time did not meet"});
}

TEST(BenchmarkDocument, SidesAreToldApart) {
  BenchmarkSeries series = fixture("ours.json");
  series.interleaved = true;
  series.sides.push_back(series.sides[0]);
  series.sides[0].label = "before";
  series.sides[1].label = "after";
  series.sides[1].benchmark.measurements.clear();
  series.sides[1].benchmark.notes.push_back({NoteKind::kLoss, "run 3", "it crashed", 1});
  expect_parts(shown(series),
               {"before", "after", "No measurements", "run 3: it crashed", "alternately"});
}

TEST(BenchmarkDocument, HostileNamesAreInert) {
  BenchmarkSeries series = fixture("ours.json");
  Measurement& measurement = series.sides[0].benchmark.measurements[0];
  measurement.benchmark = "a\x1b[31m" + std::string(100000, 'x');
  measurement.axes[0].value = "=1+1\n";
  const std::string text = shown(series);
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_LT(text.size(), 20000U);
}

TEST(BenchmarkDocument, OneRowForEachMeasurementForPrograms) {
  BenchmarkSeries series = fixture("ours.json");
  const std::string text = rendered(compose_benchmark_rows(series), "csv");
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  EXPECT_TRUE(text.starts_with("\"side\",\"benchmark\",\"implementation\",\"configuration\""));
  expect_parts(line_with(text, "\"tiled\""),
               {"\"n=8192\"", "\"measured\"", "\"131237.5\"", "\"8\",\"1\"", "\"536870912\"",
                "\"cuda-graph\",\"hot\",\"tight\""});
}

TEST(BenchmarkDocument, ThrottledAloneIsShownAndMarked) {
  BenchmarkSeries series = fixture("ours.json");
  for (Sample& sample : series.sides[0].benchmark.measurements[0].samples) sample.throttled = true;
  const std::string text = shown(series);
  expect_parts(line_with(text, "tiled"), {"131.24 us (throttled)", "8"});
  expect_parts(text, {"measurements of throttled samples alone: 1"});
  expect_parts(rendered(compose_benchmark_rows(series), "csv"),
               {"\"throttled median\",\"131237.5\""});
}

TEST(BenchmarkDocument, ShareOfTheRoofStandsWhereOneIsKnown) {
  BenchmarkSeries series = fixture("ours.json");
  const std::string text = shown(series);
  expect_parts(line_with(text, "Median"), {"Of roof"});
  expect_parts(line_with(text, "tiled"), {"95 % dram"});
  EXPECT_EQ(line_with(text, "naive").find("dram"), std::string::npos);
  expect_parts(rendered(compose_benchmark_rows(series), "csv"), {"\"dram\",\"0.9523\""});
  series.sides[0].benchmark.measurements[0].roof_share.reset();
  EXPECT_EQ(shown(series).find("Of roof"), std::string::npos);
}

TEST(BenchmarkDocument, ClockAndPowerAreMediansOfWhatIsTimed) {
  BenchmarkSeries series = fixture("ours.json");
  expect_parts(line_with(shown(series), "Median"), {"Ran at"});
  expect_parts(line_with(shown(series), "tiled"), {"1980 MHz, 412 W"});
  expect_parts(rendered(compose_benchmark_rows(series), "csv"), {"\"1980\",\"412\""});
  std::vector<Sample>& samples = series.sides[0].benchmark.measurements[0].samples;
  for (Sample& sample : samples) sample.sm_mhz.reset();
  expect_parts(line_with(shown(series), "tiled"), {" 412 W"});
  for (Sample& sample : samples) sample.watts.reset();
  EXPECT_EQ(shown(series).find("Ran at"), std::string::npos);
}

}  // namespace
}  // namespace proofline::benchmark_document_test
