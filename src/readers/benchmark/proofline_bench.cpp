// SPDX-License-Identifier: Apache-2.0
//
// The file of docs/bench.schema.json, as `proofline bench` and programs with our library write it.
#include <fmt/format.h>

#include <limits>
#include <utility>

#include "base/schema_version.h"
#include "base/text.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/benchmark/machine_fields.h"
#include "readers/format.h"

namespace proofline {
namespace {

// The enumerator of this name; `other` where the name is absent or unknown.
template <class Enum, std::size_t Size>
Enum named(const JsonFields& fields, std::string_view member, const Enum (&all)[Size], Enum other) {
  const std::string name = fields.text(member);
  if (name.empty()) return other;
  for (const Enum candidate : all) {
    if (to_string(candidate) == name) return candidate;
  }
  fields.notes().lose(fmt::format("\"{}\" is a word that this version does not know", member));
  return other;
}

TimedBy timed_by_of(const JsonFields& fields) {
  constexpr TimedBy kAll[] = {TimedBy::kUnknown, TimedBy::kCudaEvents, TimedBy::kCudaGraph,
                              TimedBy::kCupti, TimedBy::kWallClock};
  return named(fields, "timed_by", kAll, TimedBy::kUnknown);
}

CacheState cache_of(const JsonFields& fields) {
  constexpr CacheState kAll[] = {CacheState::kUnknown, CacheState::kCold, CacheState::kHot,
                                 CacheState::kRotating};
  return named(fields, "cache", kAll, CacheState::kUnknown);
}

StopReason stopped_of(const JsonFields& fields) {
  constexpr StopReason kAll[] = {StopReason::kUnknown, StopReason::kTight, StopReason::kTimeLimit,
                                 StopReason::kSampleLimit};
  return named(fields, "stopped", kAll, StopReason::kUnknown);
}

void read_state(const JsonFields& fields, Measurement& measurement) {
  constexpr MeasurementState kAll[] = {MeasurementState::kMeasured, MeasurementState::kWrong,
                                       MeasurementState::kInvalid, MeasurementState::kSkipped,
                                       MeasurementState::kFailed};
  measurement.reason = fields.text("reason");
  if (fields.find("state") == nullptr) return;
  // What is in a state that we do not know must not pass for measured.
  measurement.state = named(fields, "state", kAll, MeasurementState::kFailed);
  const std::string word = fields.text("state");
  if (measurement.reason.empty() && to_string(measurement.state) != word) {
    measurement.reason = fmt::format("state {}", quote(word));
  }
}

Correctness correctness_of(const JsonFields& fields) {
  constexpr CheckState kAll[] = {CheckState::kNotChecked, CheckState::kPassed, CheckState::kFailed};
  Correctness result;
  result.state = named(fields, "state", kAll, CheckState::kNotChecked);
  result.reference = fields.text("reference");
  result.max_abs_error = fields.number("max_abs_error");
  result.max_rel_error = fields.number("max_rel_error");
  result.abs_tolerance = fields.number("abs_tolerance");
  result.rel_tolerance = fields.number("rel_tolerance");
  result.nans = fields.whole("nans").value_or(0);
  result.infinities = fields.whole("infinities").value_or(0);
  result.wrong = fields.whole("wrong").value_or(0);
  result.checked = fields.whole("checked").value_or(0);
  return result;
}

// A list beside "ns", one entry for each sample; empty where it is left out or does not fit.
std::span<const JsonValue> list_beside(const JsonFields& samples, std::string_view name,
                                       std::size_t size) {
  const std::span<const JsonValue> list = samples.list(name);
  if (list.empty() || list.size() == size) return list;
  samples.notes().lose(fmt::format("\"{}\" has not as many entries as \"ns\"", name));
  return {};
}

std::vector<bool> throttled_of(const JsonFields& samples, std::size_t size) {
  std::vector<bool> throttled(size);
  for (const JsonValue& value : samples.list("throttled")) {
    const auto position = whole_of(value);
    if (position && *position < size)
      throttled[*position] = true;
    else
      samples.notes().lose("\"throttled\" names a sample that is not there");
  }
  return throttled;
}

// An entry of a list beside "ns"; null is unknown, and so are all of a list that is left out.
std::optional<double> known_of(std::span<const JsonValue> list, std::size_t i,
                               std::string_view complaint, BenchmarkNotes& notes) {
  if (list.empty() || list[i].IsNull()) return std::nullopt;
  const auto number = positive_of(list[i]);
  if (!number) notes.lose(complaint);
  return number;
}

std::uint32_t run_of(const JsonValue& value, BenchmarkNotes& notes) {
  const auto run = whole_of(value);
  if (run && *run <= std::numeric_limits<std::uint32_t>::max()) {
    return static_cast<std::uint32_t>(*run);
  }
  notes.lose("\"run\" has an entry that is not the number of a run");
  return 0;
}

void read_samples(const JsonFields& fields, Measurement& measurement) {
  BenchmarkNotes& notes = fields.notes();
  const std::span<const JsonValue> times = fields.list("ns");
  const auto clocks = list_beside(fields, "sm_mhz", times.size());
  const auto powers = list_beside(fields, "watts", times.size());
  const auto runs = list_beside(fields, "run", times.size());
  const std::vector<bool> throttled = throttled_of(fields, times.size());
  measurement.samples.reserve(times.size());
  for (std::size_t i = 0; i < times.size(); ++i) {
    const auto ns = positive_of(times[i]);
    if (!ns) {
      notes.lose("samples whose time is not a number above zero");
      continue;
    }
    Sample& sample = measurement.samples.emplace_back();
    sample.ns = *ns;
    sample.sm_mhz = known_of(clocks, i, "\"sm_mhz\" has an entry that is not a clock rate", notes);
    sample.watts = known_of(powers, i, "\"watts\" has an entry that is not a power", notes);
    if (!runs.empty()) sample.run = run_of(runs[i], notes);
    sample.throttled = throttled[i];
  }
}

Measurement measurement_of(const JsonFields& fields) {
  Measurement measurement;
  measurement.benchmark = fields.text("benchmark");
  measurement.implementation = fields.text("implementation");
  for (const JsonValue& value : fields.list("axes")) {
    const JsonFields axis(value, fields.notes());
    measurement.axes.push_back({axis.text("name"), axis.text("value")});
  }
  read_state(fields, measurement);
  measurement.correctness = correctness_of(fields.object("correctness"));
  measurement.timed_by = timed_by_of(fields);
  measurement.cache = cache_of(fields);
  measurement.stopped = stopped_of(fields);
  read_samples(fields.object("samples"), measurement);
  const JsonFields summary = fields.object("summary");
  measurement.summary_ns = summary.positive("ns");
  measurement.summary_kind = summary.text("kind");
  measurement.summary_of = summary.whole("of").value_or(0);
  measurement.bytes = fields.positive("bytes");
  measurement.flops = fields.positive("flops");
  measurement.flop_kind = fields.text("flop_kind");
  const JsonFields roof = fields.object("roof");
  measurement.roof_share = roof.positive("share");
  if (measurement.roof_share) measurement.roof = roof.text("name");
  measurement.roof_at_least = roof.flag("at_least").value_or(false);
  measurement.peak_memory_bytes = fields.whole("peak_memory_bytes");
  settle(measurement, fields.notes());
  return measurement;
}

BenchmarkSide side_of(const JsonValue& value) {
  BenchmarkNotes notes;
  const JsonFields fields(value, notes);
  BenchmarkSide side;
  side.label = fields.text("label");
  Benchmark& benchmark = side.benchmark;
  benchmark.format = fields.text("format");
  if (benchmark.format.empty()) benchmark.format = "proofline-bench";
  benchmark.producer = fields.text("producer");
  benchmark.command = fields.text("command");
  benchmark.machine = read_machine(fields.object("machine"));
  benchmark.failed_starts = fields.whole("failed_starts").value_or(0);
  benchmark.until_clear = fields.flag("until_clear").value_or(false);
  for (const JsonValue& note : fields.list("notes")) {
    benchmark.notes.push_back(read_note(JsonFields(note, notes)));
  }
  const auto measurements = fields.list("measurements");
  benchmark.measurements.reserve(measurements.size());
  for (const JsonValue& measurement : measurements) {
    if (measurement.IsObject())
      benchmark.measurements.push_back(measurement_of(JsonFields(measurement, notes)));
    else
      notes.lose("measurements that are not objects");
  }
  notes.append_to(benchmark.notes);
  return side;
}

Result<BenchmarkSeries> read_our_fields(const JsonFields& root, const BenchmarkPlace& /*place*/) {
  const std::string version = root.text("schema_version");
  if (!version.empty() && !is_readable_schema(version)) {
    return fail(ErrorKind::kInput,
                fmt::format("it follows schema {}, this version of proofline knows {}; take a "
                            "newer proofline",
                            quote(version), kReadableSchemas));
  }
  BenchmarkSeries series;
  series.interleaved = root.flag("interleaved").value_or(false);
  series.order_seed = root.whole("order_seed");
  const auto sides = root.list("sides");
  series.sides.reserve(sides.size());
  for (const JsonValue& side : sides) series.sides.push_back(side_of(side));
  return series;
}

bool sniff_proofline_bench(std::string_view prefix) {
  return json_outline(prefix).result == "benchmark";
}

Result<BenchmarkSeries> read_proofline_bench(Input& input, const BenchmarkPlace& place) {
  return read_benchmark_json(input, place, read_our_fields);
}

}  // namespace

Format proofline_bench() {
  return {.name = "proofline-bench",
          .what = "a benchmark result of proofline",
          .summary = "what proofline bench and programs with its library write (JSON)",
          .sniff = sniff_proofline_bench,
          .read_benchmark = read_proofline_bench};
}

}  // namespace proofline
