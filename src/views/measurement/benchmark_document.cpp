// SPDX-License-Identifier: Apache-2.0
#include "views/measurement/benchmark_document.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/measurement/measured_time.h"
#include "base/option.h"
#include "base/text.h"
#include "views/notes.h"
#include "views/quantity.h"

namespace proofline {
namespace {

using Measurements = std::vector<Measurement>;
using Times = std::vector<MeasuredTime>;  // of the measurements, in their order

constexpr std::size_t kMostReasons = 25;

template <class Items, class Has>
bool any(const Items& items, const Has& has) {
  return std::any_of(items.begin(), items.end(), has);
}

Times times_of(const Measurements& measurements) {
  Times times;
  times.reserve(measurements.size());
  for (const Measurement& measurement : measurements) times.push_back(measured_time(measurement));
  return times;
}

// The names of the axes where all rows have the same; each is a column then.
std::vector<std::string> common_axes(const Measurements& measurements) {
  std::vector<std::string> names;
  if (measurements.empty()) return names;
  for (const Axis& axis : measurements.front().axes) names.push_back(axis.name);
  const auto differs = [&](const Measurement& measurement) {
    return !std::equal(names.begin(), names.end(), measurement.axes.begin(), measurement.axes.end(),
                       [](const std::string& name, const Axis& axis) { return name == axis.name; });
  };
  if (any(measurements, differs)) names.clear();
  return names;
}

// "1.23 us to 1.25 us"
std::string interval_text(const Measurement& measurement, const MeasuredTime& time) {
  if (!time.interval && measurement.samples.empty()) return "-";
  if (!time.interval) return time.starts > 1 ? "too few runs" : "too few samples";
  return time_text(time.interval->low) + " to " + time_text(time.interval->high);
}

std::string median_text(const Measurement& measurement, const MeasuredTime& time) {
  std::string text = time_text(time.median_ns);
  if (time.throttled_only) return text + " (throttled)";
  const bool other = measurement.samples.empty() && time.median_ns &&
                     measurement.summary_kind != "median" && !measurement.summary_kind.empty();
  return other ? fmt::format("{} ({})", text, measurement.summary_kind) : text;
}

// Amount by nanosecond: giga by second.
std::string rate_text(std::optional<double> amount, std::optional<double> ns, double scale) {
  if (!amount || !ns) return "-";
  return fmt::format("{:.1f}", *amount / *ns / scale);
}

// "83 % dram"
std::string roof_text(const Measurement& measurement) {
  if (!measurement.roof_share) return "-";
  return fmt::format("{} {}", percent(*measurement.roof_share), shown_name(measurement.roof));
}

// "1980 MHz, 412 W", as far as it is known.
std::string pace_text(const MeasuredTime& time) {
  std::string text;
  if (time.sm_mhz) text = fmt::format("{:.0f} MHz", *time.sm_mhz);
  if (time.watts) text += fmt::format("{}{:.0f} W", text.empty() ? "" : ", ", *time.watts);
  return text.empty() ? "-" : text;
}

std::string method_text(const Measurement& measurement) {
  std::string text;
  if (measurement.timed_by != TimedBy::kUnknown) text = to_string(measurement.timed_by);
  if (measurement.cache != CacheState::kUnknown) {
    if (!text.empty()) text += ", ";
    text += fmt::format("{} cache", to_string(measurement.cache));
  }
  return text.empty() ? "-" : text;
}

// The columns of one side's table: what its measurements have to say.
class MeasurementTable {
 public:
  MeasurementTable(const Measurements& measurements, const Times& times)
      : axes_(common_axes(measurements)),
        benchmark_(any(measurements, [](const auto& m) { return !m.benchmark.empty(); })),
        implementation_(any(measurements, [](const auto& m) { return !m.implementation.empty(); })),
        configuration_(axes_.empty() &&
                       any(measurements, [](const auto& m) { return !m.axes.empty(); })),
        bytes_(any(measurements, [](const auto& m) { return m.bytes.has_value(); })),
        flops_(any(measurements, [](const auto& m) { return m.flops.has_value(); })),
        roof_(any(measurements, [](const auto& m) { return m.roof_share.has_value(); })),
        pace_(any(times, [](const auto& t) { return t.sm_mhz || t.watts; })) {
    add_columns();
    table_.rows.reserve(measurements.size());
    for (std::size_t i = 0; i < measurements.size(); ++i) add_row(measurements[i], times[i]);
  }

  Table take() { return std::move(table_); }

 private:
  void add_columns() {
    std::vector<TableColumn>& columns = table_.columns;
    if (benchmark_) columns.push_back({"Benchmark", Align::kLeft, true});
    if (implementation_) columns.push_back({"Implementation", Align::kLeft, true});
    for (const std::string& name : axes_) columns.push_back({shown_name(name), Align::kRight});
    if (configuration_) columns.push_back({"Configuration", Align::kLeft, true});
    columns.push_back({"Median", Align::kRight});
    columns.push_back({"95 % interval", Align::kRight});
    columns.push_back({"Spread", Align::kRight, false, true});
    if (bytes_) columns.push_back({"GB/s", Align::kRight});
    if (flops_) columns.push_back({"TFLOP/s", Align::kRight});
    if (roof_) columns.push_back({"Of roof", Align::kRight});
    columns.push_back({"Samples", Align::kRight, false, true});
    columns.push_back({"Timed by", Align::kLeft, false, true});
    if (pace_) columns.push_back({"Ran at", Align::kRight, false, true});
    columns.push_back({"State"});
  }

  void add_row(const Measurement& measurement, const MeasuredTime& time) {
    std::vector<Cell>& row = table_.rows.emplace_back();
    if (benchmark_) row.push_back({shown_name(measurement.benchmark)});
    if (implementation_) row.push_back({shown_name(measurement.implementation)});
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      row.push_back({shown_name(measurement.axes[i].value)});
    }
    if (configuration_) {
      row.push_back({shown_name(configuration_name("", "", measurement.axes))});
    }
    row.push_back({median_text(measurement, time), true});
    row.push_back({interval_text(measurement, time), true});
    row.push_back({time.spread ? share_text(*time.spread) : "-", true});
    if (bytes_) row.push_back({rate_text(measurement.bytes, time.median_ns, 1), true});
    if (flops_) row.push_back({rate_text(measurement.flops, time.median_ns, 1e3), true});
    if (roof_) row.push_back({roof_text(measurement), true});
    row.push_back({time.samples == 0 ? "-" : group_digits(time.samples), true});
    row.push_back({method_text(measurement)});
    if (pace_) row.push_back({pace_text(time), true});
    row.push_back({std::string(to_string(measurement.state))});
  }

  std::vector<std::string> axes_;
  bool benchmark_;
  bool implementation_;
  bool configuration_;
  bool bytes_;
  bool flops_;
  bool roof_;
  bool pace_;  // clock or power
  Table table_;
};

std::string machine_text(const BenchmarkMachine& machine) {
  std::string text = machine.gpu;
  const auto add = [&](std::string_view label, const std::string& value) {
    if (value.empty()) return;
    if (!text.empty()) text += ", ";
    text += std::string(label) + value;
  };
  add("cc ", machine.compute_capability);
  add("driver ", machine.driver);
  add("CUDA ", machine.cuda);
  return text;
}

std::string clocks_text(const BenchmarkMachine& machine) {
  std::string text;
  if (machine.locked_sm_mhz) {
    text = fmt::format("locked to {:.0f} MHz", *machine.locked_sm_mhz);
  } else if (machine.clocks_locked) {
    text = *machine.clocks_locked ? "locked" : "not locked";
  }
  if (!machine.max_sm_mhz) return text;
  return fmt::format("{}{}at most {:.0f} MHz", text, text.empty() ? "" : ", ", *machine.max_sm_mhz);
}

void add_facts(const Benchmark& benchmark, Document& document) {
  Properties properties;
  const auto add = [&](std::string name, std::string value) {
    if (!value.empty()) properties.rows.emplace_back(std::move(name), std::move(value));
  };
  add("file", benchmark.path);
  add("by", benchmark.producer);
  add("program", shown_name(benchmark.command));
  add("GPU", machine_text(benchmark.machine));
  add("SM clock", clocks_text(benchmark.machine));
  if (!properties.rows.empty()) document.blocks.emplace_back(std::move(properties));
}

// Why measurements are in a state other than measured: too long for a table.
void add_reasons(const Measurements& measurements, Document& document) {
  Properties reasons;
  std::uint64_t more = 0;
  for (const Measurement& measurement : measurements) {
    if (measurement.state == MeasurementState::kMeasured || measurement.reason.empty()) continue;
    if (reasons.rows.size() == kMostReasons) {
      ++more;
      continue;
    }
    reasons.rows.emplace_back(
        shown_name(configuration_name(measurement)),
        fmt::format("{}: {}", to_string(measurement.state), shown_name(measurement.reason)));
  }
  if (!reasons.rows.empty()) document.blocks.emplace_back(std::move(reasons));
  if (more > 0) {
    document.blocks.emplace_back(Paragraph{
        fmt::format("{} more; {} json has all reasons", group_digits(more), option("format"))});
  }
}

// What a reader of the table would else not know; each is left out where its count is 0.
void add_callouts(const Benchmark& benchmark, const Times& times, Document& document) {
  std::uint64_t throttled = 0;
  std::uint64_t only_throttled = 0;
  std::uint64_t limited = 0;
  std::uint64_t unchecked = 0;
  std::uint64_t wrong = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    const Measurement& measurement = benchmark.measurements[i];
    if (measurement.state != MeasurementState::kMeasured) continue;
    const CheckState check = measurement.correctness.state;
    const StopReason stopped = measurement.stopped;
    throttled += times[i].throttled;
    if (times[i].throttled_only) ++only_throttled;
    if (stopped == StopReason::kTimeLimit || stopped == StopReason::kSampleLimit) ++limited;
    if (check == CheckState::kNotChecked) ++unchecked;
    if (check == CheckState::kFailed) ++wrong;
  }
  const auto add = [&](std::string_view what, std::uint64_t count, std::string_view more = "") {
    if (count == 0) return;
    document.blocks.emplace_back(
        Callout{false, fmt::format("{}: {}{}", what, group_digits(count), more)});
  };
  add("throttled samples", throttled, "; they count like any other");
  add("measurements of throttled samples alone", only_throttled);
  add("measurements that stopped at a limit before they were as exact as asked", limited);
  add("measurements of wrong results", wrong, "; their times mean nothing");
  // Other formats do not say.
  if (benchmark.format == "proofline-bench") {
    add("measurements without a check against a reference", unchecked);
  }
}

}  // namespace

Document compose_benchmark(const BenchmarkSeries& series) {
  Document document;
  for (const BenchmarkSide& side : series.sides) {
    const Benchmark& benchmark = side.benchmark;
    if (!side.label.empty()) document.blocks.emplace_back(Heading{side.label});
    add_facts(benchmark, document);
    const Times times = times_of(benchmark.measurements);
    if (benchmark.measurements.empty()) {
      document.blocks.emplace_back(Paragraph{"No measurements"});
    } else {
      document.blocks.emplace_back(MeasurementTable(benchmark.measurements, times).take());
    }
    add_reasons(benchmark.measurements, document);
    add_callouts(benchmark, times, document);
    add_notes(benchmark.notes, document);
  }
  if (series.interleaved && series.sides.size() > 1) {
    document.blocks.emplace_back(Callout{false, "the programs ran alternately"});
  }
  return document;
}

}  // namespace proofline
