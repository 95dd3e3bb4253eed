// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/benchmark_json.h"

#include <algorithm>

#include "views/json_parts.h"
#include "views/machine/machine_json.h"

namespace proofline {
namespace {

void write_correctness(const Correctness& correctness, JsonWriter& json) {
  json.key("correctness");
  json.begin_object();
  json.member("state", to_string(correctness.state));
  json.member("reference", correctness.reference);
  json.member("max_abs_error", correctness.max_abs_error);
  json.member("max_rel_error", correctness.max_rel_error);
  json.member("abs_tolerance", correctness.abs_tolerance);
  json.member("rel_tolerance", correctness.rel_tolerance);
  json.member("nans", correctness.nans);
  json.member("infinities", correctness.infinities);
  json.member("wrong", correctness.wrong);
  json.member("checked", correctness.checked);
  json.end_object();
}

template <class Write>
void write_list(std::string_view name, JsonWriter& json, const std::vector<Sample>& samples,
                const Write& write) {
  json.array(name, samples, [&](const Sample& sample) { write(sample); });
}

// Left out where nothing is known: it would be as long as the list of the times.
void write_known(std::string_view name, JsonWriter& json, const std::vector<Sample>& samples,
                 std::optional<double> Sample::*value) {
  if (std::none_of(samples.begin(), samples.end(),
                   [&](const Sample& sample) { return (sample.*value).has_value(); })) {
    return;
  }
  write_list(name, json, samples, [&](const Sample& sample) {
    sample.*value ? json.number(*(sample.*value)) : json.null();
  });
}

void write_samples(const std::vector<Sample>& samples, JsonWriter& json) {
  json.key("samples");
  json.begin_object();
  write_list("ns", json, samples, [&](const Sample& sample) { json.number(sample.ns); });
  write_known("sm_mhz", json, samples, &Sample::sm_mhz);
  write_known("watts", json, samples, &Sample::watts);
  json.key("throttled");
  json.begin_array();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples[i].throttled) json.number(std::uint64_t{i});
  }
  json.end_array();
  if (std::any_of(samples.begin(), samples.end(),
                  [](const Sample& sample) { return sample.run != 0; })) {
    write_list("run", json, samples,
               [&](const Sample& sample) { json.number(std::uint64_t{sample.run}); });
  }
  json.end_object();
}

void write_summary(const Measurement& measurement, JsonWriter& json) {
  json.key("summary");
  if (!measurement.summary_ns) return json.null();
  json.begin_object();
  json.member("ns", *measurement.summary_ns);
  json.member("kind", measurement.summary_kind);
  json.member("of", measurement.summary_of);
  json.end_object();
}

void write_roof(const Measurement& measurement, JsonWriter& json) {
  json.key("roof");
  if (!measurement.roof_share) return json.null();
  json.begin_object();
  json.member("name", measurement.roof);
  json.member("share", *measurement.roof_share);
  json.member("at_least", measurement.roof_at_least);
  json.end_object();
}

void write_measurement(const Measurement& measurement, JsonWriter& json) {
  json.begin_object();
  json.member("benchmark", measurement.benchmark);
  json.member("implementation", measurement.implementation);
  json.objects("axes", measurement.axes, [&](const Axis& axis) {
    json.member("name", axis.name);
    json.member("value", axis.value);
  });
  json.member("state", to_string(measurement.state));
  json.member("reason", measurement.reason);
  write_correctness(measurement.correctness, json);
  json.member("timed_by", to_string(measurement.timed_by));
  json.member("cache", to_string(measurement.cache));
  json.member("stopped", to_string(measurement.stopped));
  write_samples(measurement.samples, json);
  write_summary(measurement, json);
  json.member("bytes", measurement.bytes);
  json.member("flops", measurement.flops);
  json.member("flop_kind", measurement.flop_kind);
  write_roof(measurement, json);
  json.member("peak_memory_bytes", measurement.peak_memory_bytes);
  json.end_object();
}

void write_side(const BenchmarkSide& side, JsonWriter& json) {
  const Benchmark& benchmark = side.benchmark;
  json.begin_object();
  json.member("label", side.label);
  json.member("format", benchmark.format);
  json.member("producer", benchmark.producer);
  json.member("command", benchmark.command);
  write_benchmark_machine(benchmark.machine, json);
  json.member("failed_starts", benchmark.failed_starts);
  json.member("until_clear", benchmark.until_clear);
  write_notes(benchmark.notes, json);
  json.key("measurements");
  json.begin_array();
  for (const Measurement& measurement : benchmark.measurements) {
    write_measurement(measurement, json);
  }
  json.end_array();
  json.end_object();
}

}  // namespace

void write_benchmark_series(const BenchmarkSeries& series, JsonWriter& json) {
  json.begin_object();
  write_tool(json);
  json.member("result", "benchmark");
  json.member("interleaved", series.interleaved);
  json.member("order_seed", series.order_seed);
  json.array("sides", series.sides, [&](const BenchmarkSide& side) { write_side(side, json); });
  json.end_object();
}

}  // namespace proofline
