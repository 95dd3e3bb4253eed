// SPDX-License-Identifier: Apache-2.0
//
// What Google Benchmark writes with --benchmark_out:
//
//   {"context": {"executable": "./bench", "library_build_type": "release", ...},
//    "benchmarks": [{"name": "BM_copy/8192/real_time", "run_name": "...", "run_type": "iteration",
//        "repetitions": 3, "iterations": 1000, "real_time": 12.5, "cpu_time": 12.4,
//        "time_unit": "us", "bytes_per_second": 1.3e9}]}
//
// A repetition is a sample. Its mean, median and so on follow as "aggregate", or come alone with
// --benchmark_report_aggregates_only.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

#include "base/redact.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

bool is_integer(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

// How it was run, not what: no axes.
bool is_setting(std::string_view name) {
  constexpr std::array<std::string_view, 4> kSettings = {"iterations", "repeats", "min_time",
                                                         "min_warmup_time"};
  return std::find(kSettings.begin(), kSettings.end(), name) != kSettings.end();
}

// What "BM_copy/case/n:8192/4/threads:2/real_time" says.
struct NameParts {
  std::string benchmark;     // "BM_copy/case"
  std::vector<Axis> axes;    // n=8192 arg0=4 threads=2
  bool manual_time = false;  // the program measures itself
  bool real_time = false;    // rates are by the wall clock, not by the processor's time
};

NameParts split_name(std::string_view name) {
  NameParts parts;
  std::size_t arguments = 0;
  const auto add = [&](std::string_view word) {
    const std::size_t colon = word.find(':');
    if (word == "manual_time") {
      parts.manual_time = true;
    } else if (word == "real_time") {
      parts.real_time = true;
    } else if (is_integer(word)) {
      parts.axes.push_back({fmt::format("arg{}", arguments++), std::string(word)});
    } else if (colon != word.npos && colon > 0 && word.find("::") == word.npos) {
      if (is_setting(word.substr(0, colon))) return;
      parts.axes.push_back(
          {std::string(word.substr(0, colon)), std::string(word.substr(colon + 1))});
    } else if (word != "process_time") {
      parts.benchmark.append("/").append(word);
    }
  };
  std::size_t end = std::min(name.find('/'), name.size());
  parts.benchmark = name.substr(0, end);
  while (end < name.size()) {
    name.remove_prefix(end + 1);
    end = std::min(name.find('/'), name.size());
    add(name.substr(0, end));
  }
  return parts;
}

std::optional<double> nanoseconds_in(std::string_view unit) {
  if (unit.empty() || unit == "ns") return 1;
  if (unit == "us") return 1e3;
  if (unit == "ms") return 1e6;
  if (unit == "s") return 1e9;
  return std::nullopt;
}

// Versions before 1.5 tell aggregates by the end of the name alone.
struct Run {
  std::string name;       // the same for all repetitions
  std::string aggregate;  // "median"; "" for a repetition
};

Run run_of(const JsonFields& entry) {
  Run run{entry.text("run_name"), entry.text("aggregate_name")};
  const std::string name = entry.text("name");
  if (entry.find("run_type") == nullptr) {
    constexpr std::array<std::string_view, 6> kEnds = {"mean", "median", "stddev",
                                                       "cv",   "BigO",   "RMS"};
    for (const std::string_view end : kEnds) {
      if (!name.ends_with(end) || !name.ends_with("_" + std::string(end))) continue;
      run.aggregate = end;
      run.name = name.substr(0, name.size() - end.size() - 1);
    }
  }
  if (run.name.empty()) run.name = name;
  return run;
}

class GoogleReader {
 public:
  explicit GoogleReader(const JsonFields& root) : root_(root), notes_(root.notes()) {}

  BenchmarkSeries read() {
    read_context(root_.object("context"));
    for (const JsonValue& value : root_.list("benchmarks")) {
      if (value.IsObject())
        add(JsonFields(value, notes_));
      else
        notes_.lose("entries that are not objects");
    }
    for (Measurement& measurement : benchmark_.measurements) finish(measurement);
    BenchmarkSeries series;
    series.sides.push_back({"", std::move(benchmark_)});
    return series;
  }

 private:
  void read_context(const JsonFields& context) {
    benchmark_.format = "google-benchmark";
    const std::string version = context.text("library_version");
    benchmark_.producer = "Google Benchmark" + (version.empty() ? "" : " " + version);
    benchmark_.command = redact_command(context.text("executable"));
    if (context.text("library_build_type") == "debug") {
      notes_.mention("the benchmark library was built for debugging; its own time may count");
    }
  }

  void add(const JsonFields& entry) {
    const Run run = run_of(entry);
    if (run.name.empty()) return notes_.lose("entries without a name");
    if (!run.aggregate.empty() && run.aggregate != "mean" && run.aggregate != "median") return;
    const NameParts parts = split_name(run.name);
    Measurement& measurement = measurement_of(run.name, parts);
    if (read_trouble(entry, measurement)) return;
    const auto unit = nanoseconds_in(entry.text("time_unit"));
    if (!unit) notes_.lose("entries with an unknown unit of time");
    const auto ns = known_product(entry.positive("real_time"), unit);
    if (!ns) return;
    if (run.aggregate.empty()) {
      measurement.samples.emplace_back().ns = *ns;
      notes_.mention("each sample is a repetition, which is a mean over its iterations");
    } else if (run.aggregate == "median" || !measurement.summary_ns) {
      measurement.summary_ns = ns;
      measurement.summary_kind = run.aggregate;
      measurement.summary_of = entry.whole("repetitions").value_or(0);
    }
    const bool by_wall_clock = parts.real_time || parts.manual_time;
    const auto rated_ns = by_wall_clock ? ns : known_product(entry.number("cpu_time"), unit);
    const auto bytes = bytes_moved(entry.number("bytes_per_second"), rated_ns);
    if (!measurement.bytes) measurement.bytes = bytes;
  }

  Measurement& measurement_of(const std::string& name, const NameParts& parts) {
    const auto [known, is_new] = by_name_.try_emplace(name, benchmark_.measurements.size());
    if (!is_new) return benchmark_.measurements[known->second];
    Measurement& measurement = benchmark_.measurements.emplace_back();
    measurement.benchmark = parts.benchmark;
    measurement.axes = parts.axes;
    if (!parts.manual_time) measurement.timed_by = TimedBy::kWallClock;
    return measurement;
  }

  // Whether the program gave up on it.
  static bool read_trouble(const JsonFields& entry, Measurement& measurement) {
    if (entry.flag("error_occurred").value_or(false)) {
      measurement.state = MeasurementState::kFailed;
      measurement.reason = entry.text("error_message");
    } else if (entry.flag("skipped").value_or(false)) {
      measurement.state = MeasurementState::kSkipped;
      measurement.reason = entry.text("skip_message");
    }
    return measurement.state != MeasurementState::kMeasured;
  }

  void finish(Measurement& measurement) {
    if (!measurement.samples.empty()) {
      measurement.summary_ns.reset();
      measurement.summary_kind.clear();
      measurement.summary_of = 0;
    }
    settle(measurement, notes_);
  }

  const JsonFields& root_;
  BenchmarkNotes& notes_;
  Benchmark benchmark_;
  std::unordered_map<std::string, std::size_t> by_name_;
};

bool sniff_google_benchmark(std::string_view prefix) {
  const JsonOutline outline = json_outline(prefix);
  return outline.benchmarks && outline.context;
}

Result<BenchmarkSeries> read_google_benchmark(Input& input, const BenchmarkPlace& place) {
  return read_benchmark_json(input, place, [](const JsonFields& root, const BenchmarkPlace&) {
    return Result<BenchmarkSeries>(GoogleReader(root).read());
  });
}

}  // namespace

Format google_benchmark() {
  return {.name = "google-benchmark",
          .what = "a benchmark result of Google Benchmark",
          .summary = "what Google Benchmark writes with --benchmark_out (JSON)",
          .sniff = sniff_google_benchmark,
          .read_benchmark = read_google_benchmark};
}

}  // namespace proofline
