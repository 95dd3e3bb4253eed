// SPDX-License-Identifier: Apache-2.0
//
// What nvbench writes with --csv: one line for each state, with its mean times and no samples.
//
//   Benchmark,Device,Device Name,T,Skipped,Samples,CPU Time (sec),Noise,GPU Time (sec),Noise,...
//   copy,0,NVIDIA H200,F32,No,1078,0.00047,0.0014,0.00046,0.0015,...
//
// Which columns are axes is not said: all that are filled and not known to be results.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/propagate.h"
#include "base/text.h"
#include "readers/benchmark/benchmark.h"
#include "readers/benchmark/benchmark_parts.h"
#include "readers/format.h"

namespace proofline {
namespace {

constexpr std::string_view kCsvBegin = "Benchmark,Device,Device Name,";

constexpr std::string_view kResultColumns[] = {
    "Benchmark", "Device",    "Device Name", "Skipped",           "Samples",
    "Noise",     "Batch",     "BWPeak",      "HBWPeak",           "LoadEff",
    "StoreEff",  "L1HitRate", "L2HitRate",   "Elem/s (elem/sec)", "GlobalMem BW (bytes/sec)"};

bool is_result_column(std::string_view name) {
  return name.ends_with("(sec)") || std::find(std::begin(kResultColumns), std::end(kResultColumns),
                                              name) != std::end(kResultColumns);
}

// The fields of one line; nothing where a quote is left open.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (quoted && line[i] == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (line[i] == '"') {
      quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += line[i];
    }
  }
  return quoted ? std::nullopt : std::optional(std::move(fields));
}

class CsvTable {
 public:
  explicit CsvTable(std::vector<std::string> names) : names_(std::move(names)) {}

  bool take(std::vector<std::string> fields) {
    fields_ = std::move(fields);
    return fields_.size() == names_.size();
  }

  std::string_view text(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    return found == names_.end() ? std::string_view() : fields_[found - names_.begin()];
  }

  std::optional<double> positive(std::string_view name) const {
    const std::string_view field = text(name);
    double number = 0;
    const char* end = field.data() + field.size();
    const auto parsed = std::from_chars(field.data(), end, number);
    const bool usable = !field.empty() && parsed.ec == std::errc() && parsed.ptr == end &&
                        std::isfinite(number) && number > 0;
    return usable ? std::optional(number) : std::nullopt;
  }

  std::vector<Axis> axes() const {
    std::vector<Axis> axes;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (!fields_[i].empty() && !is_result_column(names_[i])) {
        axes.push_back({names_[i], fields_[i]});
      }
    }
    return axes;
  }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> fields_;
};

struct CsvTime {
  std::string_view column;
  std::string_view samples;
  TimedBy timed_by;
  CacheState cache;
};
// The first that is there counts.
constexpr CsvTime kCsvTimes[] = {
    {"GPU Time (sec)", "Samples", TimedBy::kCudaEvents, CacheState::kCold},
    {"Batch GPU (sec)", "Batch", TimedBy::kCudaEvents, CacheState::kHot},
    {"CPU Time (sec)", "Samples", TimedBy::kWallClock, CacheState::kUnknown}};

Measurement measurement_of_row(const CsvTable& row, BenchmarkNotes& notes) {
  Measurement measurement;
  measurement.benchmark = row.text("Benchmark");
  measurement.axes = row.axes();
  if (row.text("Skipped") == "Yes") measurement.state = MeasurementState::kSkipped;
  for (const CsvTime& time : kCsvTimes) {
    const auto seconds = row.positive(time.column);
    if (!seconds || measurement.summary_ns) continue;
    measurement.summary_ns = known_product(seconds, 1e9);
    measurement.summary_kind = "mean";
    measurement.timed_by = time.timed_by;
    measurement.cache = time.cache;
    measurement.bytes =
        bytes_moved(row.positive("GlobalMem BW (bytes/sec)"), measurement.summary_ns);
    const auto samples = row.positive(time.samples);
    if (samples && *samples < 1e15) measurement.summary_of = static_cast<std::uint64_t>(*samples);
  }
  settle(measurement, notes);
  return measurement;
}

// One machine where all rows are of one device; else the device is an axis.
void name_csv_devices(const std::vector<std::pair<std::string, std::string>>& devices,
                      Benchmark& benchmark, BenchmarkNotes& notes) {
  const std::set<std::pair<std::string, std::string>> used(devices.begin(), devices.end());
  if (used.size() == 1) benchmark.machine.gpu = used.begin()->second;
  if (used.size() < 2) return;
  notes.mention("several GPUs were used; the axis Device tells them apart");
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::vector<Axis>& axes = benchmark.measurements[i].axes;
    axes.insert(axes.begin(), {"Device", devices[i].first});
  }
}

bool sniff_nvbench_csv(std::string_view prefix) { return prefix.starts_with(kCsvBegin); }

Result<BenchmarkSeries> read_nvbench_csv(Input& input, const BenchmarkPlace& place) {
  ASSIGN_OR_RETURN(const std::string_view text, whole_benchmark_text(input, place.limits));
  BenchmarkNotes notes;
  Benchmark benchmark;
  benchmark.format = "nvbench-csv";
  benchmark.producer = "nvbench";
  benchmark.path = input.name();
  std::optional<CsvTable> table;
  std::vector<std::pair<std::string, std::string>> devices;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    if (end == text.size()) {
      notes.lose("a last line without its end, which may be cut");
      break;
    }
    auto fields = fields_of(line);
    if (fields && line.starts_with(kCsvBegin)) {
      table.emplace(std::move(*fields));
    } else if (!fields || !table || !table->take(std::move(*fields))) {
      notes.lose("lines that have not as many fields as the header");
    } else {
      benchmark.measurements.push_back(measurement_of_row(*table, notes));
      devices.emplace_back(table->text("Device"), table->text("Device Name"));
    }
  }
  if (benchmark.measurements.empty()) {
    return fail(ErrorKind::kInput, fmt::format("{} has a header and no measurement; run the "
                                               "benchmark again",
                                               quote(input.name())));
  }
  name_csv_devices(devices, benchmark, notes);
  if (const auto damage = input.damage()) notes.lose(damage->message);
  notes.append_to(benchmark.notes);
  BenchmarkSeries series;
  series.sides.push_back({"", std::move(benchmark)});
  return series;
}

}  // namespace

Format nvbench_csv() {
  return {.name = "nvbench-csv",
          .what = "a benchmark result of nvbench (CSV)",
          .summary = "what nvbench writes with --csv: means without samples",
          .sniff = sniff_nvbench_csv,
          .read_benchmark = read_nvbench_csv};
}

}  // namespace proofline
