// SPDX-License-Identifier: Apache-2.0
//
// No time is other than a number above zero, and what is written of a result is read as the same.
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/record_json.h"
#include "promise.h"
#include "promises.h"
#include "readers/benchmark/benchmark.h"

namespace proofline::fuzz {
namespace {

bool is_positive(double number) { return std::isfinite(number) && number > 0; }

void check(const Measurement& measurement) {
  for (const Sample& sample : measurement.samples) {
    require(is_positive(sample.ns), "a sample has a time");
    require(is_positive(sample.sm_mhz.value_or(1)), "a clock rate is one");
  }
  require(is_positive(measurement.summary_ns.value_or(1)), "a summary has a time");
  const bool timed = !measurement.samples.empty() || measurement.summary_ns;
  require(timed || measurement.state != MeasurementState::kMeasured, "what is measured has a time");
}

std::string written(const BenchmarkSeries& series) {
  return json_text([&](JsonWriter& json) { write_record(series, json); });
}

}  // namespace

void check_benchmark(const Format& format, std::string_view bytes) {
  auto input = Input::from_memory(bytes, "fuzz", limits());
  if (!input) return;
  const auto series = format.read_benchmark(*input, {std::nullopt, limits()});
  if (!series) return;
  for (const BenchmarkSide& side : series->sides) {
    for (const Measurement& measurement : side.benchmark.measurements) check(measurement);
  }
  const std::string text = written(*series);
  auto own = Input::from_memory(text, "own");
  const auto again = own ? read_benchmark(*own) : tl::make_unexpected(own.error());
  require(again.has_value(), "what is written can be read");
  require(written(*again) == text, "and is the same");
}

}  // namespace proofline::fuzz
