// SPDX-License-Identifier: Apache-2.0
//
// The fuzz target of benchmark results. Whatever the bytes are, reading them must neither crash nor
// hang, no time may be other than a number above zero, and what is written of it is read as the
// same.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/input.h"
#include "promise.h"
#include "readers/benchmark/benchmark.h"
#include "views/measurement/benchmark_json.h"

namespace {

using namespace proofline;

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
  return json_text([&](JsonWriter& json) { write_benchmark_series(series, json); });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  looks_like_benchmark(bytes);
  InputLimits limits;
  limits.max_bytes = 16U << 20U;  // small enough to leave the fuzzer's memory limit alone
  auto input = Input::from_memory(bytes, "fuzz", limits);
  if (!input) return 0;
  const auto series = read_benchmark(*input);
  if (!series) return 0;
  for (const BenchmarkSide& side : series->sides) {
    for (const Measurement& measurement : side.benchmark.measurements) check(measurement);
  }
  const std::string text = written(*series);
  auto own = Input::from_memory(text, "own");
  const auto again = own ? read_benchmark(*own) : tl::make_unexpected(own.error());
  require(again.has_value(), "what is written can be read");
  require(written(*again) == text, "and is the same");
  return 0;
}
