// SPDX-License-Identifier: Apache-2.0
#include "tools/starts/interleaved_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <random>
#include <system_error>
#include <utility>

#include "base/option.h"
#include "base/propagate.h"
#include "base/redact.h"
#include "base/text.h"
#include "readers/timeline/recording.h"

namespace proofline {
namespace {

constexpr std::string_view kRecordingVariable = "PROOFLINE_RECORDING";

// "exited with 3"; what it printed last on standard error often says why.
std::string failure_text(const StepEnd& end) {
  std::string text = end_text(end.end);
  const std::string_view errors = trim(end.errors_tail);
  const std::size_t line = errors.rfind('\n');
  const std::string_view last = line == std::string_view::npos ? errors : errors.substr(line + 1);
  if (!last.empty()) text += "; the last that it said is " + quote(last);
  return text;
}

using KernelList = std::vector<std::string>;

KernelList kernel_list(const Benchmark& benchmark) {
  KernelList names;
  for (const Measurement& one : benchmark.measurements) {
    if (one.benchmark != kAllKernels) names.push_back(configuration_name(one));
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool is_all_measured(const Benchmark& benchmark) {
  return std::all_of(
      benchmark.measurements.begin(), benchmark.measurements.end(),
      [](const Measurement& one) { return one.state == MeasurementState::kMeasured; });
}

void drop_total(Benchmark& benchmark) {
  std::erase_if(benchmark.measurements,
                [](const Measurement& one) { return one.benchmark == kAllKernels; });
}

// Of a program that measures itself.
void distrust_total(Benchmark& benchmark) {
  drop_total(benchmark);
  benchmark.notes.push_back(
      {NoteKind::kInfo, "",
       fmt::format(
           "the program measures itself and launches its kernels as often as that takes, so the "
           "time of all of them together says nothing; without {} its own result is used",
           option("time-by")),
       1});
}

// The time of all kernels together is for sides whose kernels have other names or shapes; where
// they are the same it would only say everything twice.
void drop_totals(BenchmarkSeries& series) {
  const KernelList first = kernel_list(series.sides.front().benchmark);
  const auto differs = [&](const BenchmarkSide& side) {
    return kernel_list(side.benchmark) != first;
  };
  if (std::any_of(series.sides.begin(), series.sides.end(), differs)) return;
  for (BenchmarkSide& side : series.sides) drop_total(side.benchmark);
}

}  // namespace

std::string_view to_string(TimeBy time_by) {
  switch (time_by) {
    case TimeBy::kProgram: return "program";
    case TimeBy::kCupti: return "cupti";
    case TimeBy::kWall: return "wall";
  }
  return "unknown";
}

std::vector<std::size_t> round_order(std::size_t sides, std::size_t round, std::uint32_t seed) {
  std::vector<std::size_t> order(sides);
  std::iota(order.begin(), order.end(), std::size_t{0});
  // The standard fixes what this engine gives, but not what its distributions make of it.
  std::seed_seq words{seed, static_cast<std::uint32_t>(round / 2)};
  std::mt19937 random(words);
  for (std::size_t i = sides; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  if (round % 2 == 1) std::reverse(order.begin(), order.end());
  return order;
}

InterleavedRuns::InterleavedRuns(std::vector<RunSide> sides, InterleavedOptions options,
                                 RunFolder& folder)
    : sides_(std::move(sides)),
      options_(std::move(options)),
      folder_(folder),
      results_(sides_.size()) {}

Result<TimingChoice> InterleavedRuns::choose_time_by() {
  if (options_.time_by) return TimingChoice{*options_.time_by, ""};
  auto choice = try_timings();
  if (choice) options_.time_by = choice->time_by;
  return choice;
}

Result<TimingChoice> InterleavedRuns::try_timings() {
  const std::string first = sides_.front().label + ".try-program";
  ASSIGN_OR_RETURN(const auto alone, start(0, first, TimeBy::kProgram));
  const auto own = read(alone, first, TimeBy::kProgram);
  if (own) return TimingChoice{TimeBy::kProgram, "it leaves one"};
  // A result that cannot be read is not passed over, nor is a program that does not even run.
  if (own.error().kind != ErrorKind::kInput ||
      has_program_result(folder_.path(first + ".json"), folder_.path(first + ".stdout"))) {
    return tl::make_unexpected(own.error());
  }
  // Only now the recorder: a program that uses CUPTI itself could not measure beside it.
  const std::string second = sides_.front().label + ".try-cupti";
  const auto recorded = start(0, second, TimeBy::kCupti);
  if (!recorded && recorded.error().kind != ErrorKind::kTool) {
    return tl::make_unexpected(recorded.error());
  }
  const auto kernels = recorded ? read(*recorded, second, TimeBy::kCupti)
                                : Result<Benchmark>(tl::make_unexpected(recorded.error()));
  if (kernels) return TimingChoice{TimeBy::kCupti, "no benchmark JSON"};
  if (recorded) return TimingChoice{TimeBy::kWall, "no benchmark JSON, no GPU kernels"};
  return TimingChoice{TimeBy::kWall,
                      "no benchmark JSON, and no recorder: " + recorded.error().message};
}

Result<void> InterleavedRuns::warm_up() {
  ++warm_ups_;
  for (std::size_t side = 0; side < sides_.size(); ++side) {
    const std::string label = fmt::format("{}.warm-up-{}", sides_[side].label, warm_ups_);
    if (auto done = take_part(side, label, std::nullopt); !done) return done;
  }
  return {};
}

Result<void> InterleavedRuns::run_round() {
  gpu_.look_for_others();
  for (const std::size_t side : round_order(sides_.size(), rounds_, options_.order_seed)) {
    const std::string label = fmt::format("{}-{}", sides_[side].label, rounds_ + 1);
    if (auto done = take_part(side, label, rounds_); !done) return done;
  }
  ++rounds_;
  return {};
}

Result<void> InterleavedRuns::take_part(std::size_t side, const std::string& label,
                                        std::optional<std::uint32_t> run) {
  const TimeBy time_by = options_.time_by.value_or(TimeBy::kWall);
  ASSIGN_OR_RETURN(const auto end, start(side, label, time_by));
  const auto taken = read(end, label, time_by).and_then([&](Benchmark result) -> Result<void> {
    if (!run) return {};
    if (result.machine.gpu.empty()) result.machine = gpu_.machine();
    gpu_.tag(result);
    result.command = redact_command(shell_command({}, sides_[side].argv));
    auto added = results_[side].add(std::move(result), *run);
    if (!added) added.error().message = fmt::format("{}: {}", label, added.error().message);
    return added;
  });
  if (taken) return {};
  if (!options_.keep_going) return tl::make_unexpected(taken.error());
  results_[side].add_failure(taken.error().message);
  return {};
}

Result<StepEnd> InterleavedRuns::start(std::size_t side, const std::string& label, TimeBy time_by) {
  Step step;
  step.label = label;
  step.argv = sides_[side].argv;
  step.folder = sides_[side].folder;
  step.time_limit = options_.time_limit;
  step.show_output = options_.show_output;
  if (time_by == TimeBy::kCupti) {
    if (!recorder_) {
      ASSIGN_OR_RETURN(auto recorder, Recorder::prepare(folder_.path("recorder")));
      recorder_ = std::move(recorder);
    }
    step.variables = recorder_->variables();
    // Each start records into its own folder.
    const std::string recording = folder_.path(label + ".recording");
    std::error_code error;
    std::filesystem::create_directory(recording, error);
    for (auto& [name, value] : step.variables) {
      if (name == kRecordingVariable) value = recording;
    }
  }
  if (time_by != TimeBy::kWall) {
    step.variables.emplace_back(kBenchOutVariable, folder_.path(label + ".json"));
  }
  step.on_tick = [&] {
    gpu_.look();
    if (options_.on_progress) options_.on_progress(label);
    return true;
  };
  gpu_.begin_run();
  auto end = folder_.run(step);
  if (end && end->end.ending == Ending::kInterrupted) {
    return fail(ErrorKind::kInterrupted, "interrupted; everything that ran was ended");
  }
  return end;
}

Result<Benchmark> InterleavedRuns::read(const StepEnd& end, const std::string& label,
                                        TimeBy time_by) const {
  if (end.end.ending == Ending::kTimeLimit) {
    return fail(
        ErrorKind::kTimeLimit,
        fmt::format(
            "{}: it ran for more than {:.4g} s and was ended; raise {}, or give it less to do",
            label, static_cast<double>(options_.time_limit.count()) / 1000, option("time-limit")));
  }
  const std::string written = folder_.path(label + ".json");
  const std::string printed = folder_.path(label + ".stdout");
  if (end.end.ending == Ending::kSignal || end.end.exit_code != 0) {
    // Our library ends so where a result is wrong or cannot be, and tells all of it.
    if (end.end.ending != Ending::kSignal && time_by == TimeBy::kProgram) {
      auto told = program_result(written, printed);
      if (told && !is_all_measured(*told)) return told;
    }
    return fail(ErrorKind::kTool, fmt::format("{}: the program {}", label, failure_text(end)));
  }
  const auto measured = [&]() -> Result<Benchmark> {
    switch (time_by) {
      case TimeBy::kProgram: return program_result(written, printed);
      case TimeBy::kCupti: {
        ASSIGN_OR_RETURN(const auto recording, read_recording(folder_.path(label + ".recording")));
        auto kernels = recorded_result(recording, options_.kernel);
        if (kernels && has_program_result(written, printed)) distrust_total(*kernels);
        return kernels;
      }
      case TimeBy::kWall: break;
    }
    return wall_result(end.end.duration);
  };
  auto result = measured();
  if (result) return result;
  return fail(result.error().kind, fmt::format("{}: {}", label, result.error().message));
}

BenchmarkSeries InterleavedRuns::series() const {
  BenchmarkSeries series;
  series.interleaved = sides_.size() > 1;
  if (series.interleaved) series.order_seed = options_.order_seed;
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    series.sides.push_back({sides_[i].label, results_[i].benchmark()});
  }
  if (options_.time_by == TimeBy::kCupti) drop_totals(series);
  const std::vector<Note> notes = gpu_.notes();
  std::vector<Note>& of_first = series.sides.front().benchmark.notes;
  of_first.insert(of_first.end(), notes.begin(), notes.end());
  return series;
}

}  // namespace proofline
