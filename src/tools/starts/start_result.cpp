// SPDX-License-Identifier: Apache-2.0
#include "tools/starts/start_result.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/measurement/measured_time.h"
#include "base/demangle.h"
#include "base/input.h"
#include "base/option.h"
#include "base/propagate.h"
#include "base/text.h"
#include "model/profile/kernel_name.h"
#include "proofline/version.h"
#include "readers/benchmark/benchmark.h"
#include "readers/format.h"

namespace proofline {
namespace {

// Limit for launches of one kernel in one start; more are sampled evenly.
constexpr std::size_t kMostLaunches = 100;
constexpr std::size_t kMostListed = 10;

bool is_written(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(path, error);
}

bool is_benchmark_file(const std::string& path) {
  auto input = Input::open(path);
  return input && identify(*input, {InputKind::kBenchmark});
}

Benchmark our_benchmark(std::string_view what) {
  Benchmark benchmark;
  benchmark.format = "proofline-bench";
  benchmark.producer = fmt::format("proofline {}, {}", kVersion, what);
  return benchmark;
}

std::string dim_value(const Dim3& dim) { return fmt::format("{}x{}x{}", dim[0], dim[1], dim[2]); }

// Launches of one kernel in one shape, in the order in which they ran.
using KernelKey = std::tuple<std::string, Dim3, Dim3>;  // mangled name, grid, block
using KernelTimes = std::map<KernelKey, std::vector<double>>;

Measurement kernel_measurement(const KernelKey& key, const std::vector<double>& times) {
  const auto& [mangled, grid, block] = key;
  Measurement measurement;
  measurement.benchmark = demangle(mangled).text;
  measurement.axes = {{"grid", dim_value(grid)}, {"block", dim_value(block)}};
  measurement.timed_by = TimedBy::kCupti;
  const std::size_t count = std::min(times.size(), kMostLaunches);
  measurement.samples.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    measurement.samples[i].ns = times[i * times.size() / count];
  }
  return measurement;
}

// The kernels that ran, for a user whose pattern matched none.
std::string names_text(const Recording& recording) {
  std::string text;
  std::size_t listed = 0;
  for (const RecordedProcess& process : recording.processes) {
    for (const std::string& name : process.names) {
      if (++listed > kMostListed) continue;
      text.append("\n  ").append(quote(demangle(name).text));
    }
  }
  if (listed > kMostListed) text += fmt::format("\n  and {} more", listed - kMostListed);
  return text;
}

std::vector<bool> wanted_names(const RecordedProcess& process, const KernelFilter& filter) {
  std::vector<bool> wanted(process.names.size(), true);
  if (!filter) return wanted;
  for (std::size_t i = 0; i < process.names.size(); ++i) {
    Launch launch;
    launch.mangled = process.names[i];
    launch.name = demangle(launch.mangled).text;
    launch.function = short_function_name(launch.name);
    wanted[i] = filter(launch);
  }
  return wanted;
}

std::string configuration_key(const Measurement& measurement) {
  std::string key = measurement.benchmark;
  key.append(1, '\0').append(measurement.implementation);
  for (const Axis& axis : measurement.axes) {
    key.append(1, '\0').append(axis.name).append(1, '\0').append(axis.value);
  }
  return key;
}

}  // namespace

bool has_program_result(const std::string& written, const std::string& printed) {
  return is_written(written) || is_benchmark_file(printed);
}

Result<Benchmark> program_result(const std::string& written, const std::string& printed) {
  if (!has_program_result(written, printed)) {
    return fail(ErrorKind::kInput,
                fmt::format("it printed no benchmark result and wrote none to the file that "
                            "PROOFLINE_BENCH_OUT names; {} cupti or wall needs none",
                            option("time-by")));
  }
  ASSIGN_OR_RETURN(auto series, read_benchmark(is_written(written) ? written : printed));
  if (series.sides.size() != 1) {
    return fail(ErrorKind::kInput, fmt::format("its benchmark result has {} sides instead of one",
                                               series.sides.size()));
  }
  return std::move(series.sides.front().benchmark);
}

Result<Benchmark> recorded_result(const Recording& recording, const KernelFilter& filter) {
  KernelTimes times;
  double total = 0;
  std::size_t launches = 0;
  Benchmark benchmark = our_benchmark("kernel times by CUPTI");
  for (const Note& note : recording.notes) {
    // Without the file, which has another name in each start.
    benchmark.notes.push_back({note.kind, "", note.what, note.count});
  }
  for (const RecordedProcess& process : recording.processes) {
    if (!process.trouble.empty()) return fail(ErrorKind::kTool, process.trouble);
    const std::vector<bool> wanted = wanted_names(process, filter);
    launches += process.launches.size();
    for (const RecordedLaunch& launch : process.launches) {
      if (!wanted[launch.name]) continue;
      const auto ns = static_cast<double>(launch.end_ns - launch.start_ns);
      times[{process.names[launch.name], launch.grid, launch.block}].push_back(ns);
      total += ns;
    }
  }
  if (launches == 0) {
    return fail(
        ErrorKind::kInput,
        fmt::format("it launched no kernel; {} wall times the whole process", option("time-by")));
  }
  if (times.empty()) {
    return fail(ErrorKind::kInput, fmt::format("none of its kernels matches {}; these ran:{}",
                                               option("kernel"), names_text(recording)));
  }
  for (const auto& [key, durations] : times) {
    benchmark.measurements.push_back(kernel_measurement(key, durations));
  }
  Measurement& all = benchmark.measurements.emplace_back();
  all.benchmark = kAllKernels;
  all.timed_by = TimedBy::kCupti;
  all.samples.emplace_back().ns = total;
  return benchmark;
}

Benchmark wall_result(std::chrono::nanoseconds duration) {
  Benchmark benchmark = our_benchmark("the whole process by the wall clock");
  Measurement& measurement = benchmark.measurements.emplace_back();
  measurement.benchmark = "process";
  measurement.timed_by = TimedBy::kWallClock;
  measurement.samples.emplace_back().ns = static_cast<double>(duration.count());
  return benchmark;
}

Result<void> SideResult::add(Benchmark start, std::uint32_t run) {
  std::vector<Measurement> measurements = std::exchange(start.measurements, {});
  std::vector<Note> notes = std::exchange(start.notes, {});
  if (!first_ && start.machine.uuid != benchmark_.machine.uuid) {
    return fail(
        ErrorKind::kInput,
        fmt::format("it ran on {} {}, the first start on {} {}; let CUDA_VISIBLE_DEVICES "
                    "name one of them",
                    escape_terminal(start.machine.gpu), quote(start.machine.uuid),
                    escape_terminal(benchmark_.machine.gpu), quote(benchmark_.machine.uuid)));
  }
  if (std::exchange(first_, false)) {
    // What failed before is kept.
    start.failed_starts = benchmark_.failed_starts;
    notes.insert(notes.begin(), benchmark_.notes.begin(), benchmark_.notes.end());
    benchmark_ = std::move(start);
    benchmark_.path.clear();
  }
  for (Measurement& measurement : measurements) add(std::move(measurement), run);
  for (const Note& note : notes) add(note);
  return {};
}

void SideResult::add_failure(std::string why) {
  ++benchmark_.failed_starts;
  add(Note{NoteKind::kLoss, "", std::move(why), 1});
}

void SideResult::add(Measurement&& measurement, std::uint32_t run) {
  if (measurement.samples.empty() && measurement.summary_ns) {
    measurement.samples.emplace_back().ns = *measurement.summary_ns;
    add(Note{NoteKind::kInfo, "",
             fmt::format("a sample is the {} of one start, all that the program tells",
                         escape_terminal(measurement.summary_kind)),
             1});
    measurement.summary_ns.reset();
    measurement.summary_kind.clear();
    measurement.summary_of = 0;
  }
  for (Sample& sample : measurement.samples) sample.run = run;
  const auto [position, is_new] =
      positions_.try_emplace(configuration_key(measurement), benchmark_.measurements.size());
  if (is_new) {
    benchmark_.measurements.push_back(std::move(measurement));
    return;
  }
  Measurement& known = benchmark_.measurements[position->second];
  const double before = measured_time(known).median_ns.value_or(0);
  known.samples.insert(known.samples.end(), measurement.samples.begin(), measurement.samples.end());
  if (known.roof_share && before > 0) {  // a share of a roof falls as the time grows
    *known.roof_share *= before / measured_time(known).median_ns.value_or(before);
  }
  // One start that went wrong is enough.
  if (known.state == MeasurementState::kMeasured) {
    known.state = measurement.state;
    known.reason = std::move(measurement.reason);
  }
  if (known.correctness.state != CheckState::kFailed &&
      measurement.correctness.state == CheckState::kFailed) {
    known.correctness = std::move(measurement.correctness);
  }
  if (measurement.peak_memory_bytes) {
    known.peak_memory_bytes =
        std::max(known.peak_memory_bytes.value_or(0), *measurement.peak_memory_bytes);
  }
}

// What every start says is said once.
void SideResult::add(const Note& note) {
  for (Note& known : benchmark_.notes) {
    if (known.kind != note.kind || known.place != note.place || known.what != note.what) continue;
    known.count += note.count;
    return;
  }
  benchmark_.notes.push_back(note);
}

}  // namespace proofline
