// SPDX-License-Identifier: Apache-2.0
//
// A suite from its command line to its files and its exit code. As a program's main part it may
// print: the table to standard output, trouble to standard error.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/environment.h"
#include "base/output.h"
#include "base/record_json.h"
#include "base/redact.h"
#include "base/text.h"
#include "proofline/version.h"
#include "suite_state.h"
#include "views/measurement/benchmark_document.h"
#include "views/view.h"

namespace proofline::bench {
namespace {

constexpr int kDone = 0;
constexpr int kWrongResult = 1;
constexpr int kUsage = 2;
constexpr int kInvalid = 3;
constexpr int kCudaFailed = 5;
constexpr int kStorage = 7;

// While it lives, a closed pipe and a limit on files are errors of writing, not the program's end.
class WithoutSignals {
 public:
  WithoutSignals() = default;
  ~WithoutSignals() {
    std::signal(SIGPIPE, pipe_);
    std::signal(SIGXFSZ, size_);
  }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

 private:
  void (*pipe_)(int) = std::signal(SIGPIPE, SIG_IGN);
  void (*size_)(int) = std::signal(SIGXFSZ, SIG_IGN);
};

void complain(const detail::SuiteState& suite, const std::string& text) {
  std::fputs(fmt::format("{}: {}\n", escape_terminal(suite.name), text).c_str(), stderr);
}

int end_with(detail::SuiteState& suite, int exit_code, const std::string& text) {
  complain(suite, text);
  suite.exit_code = exit_code;
  return exit_code;
}

// A closed pipe is not an error.
bool print(const detail::SuiteState& suite, std::string_view text) {
  const WithoutSignals quiet;
  const int error = write_all(STDOUT_FILENO, text);
  if (error == 0 || error == EPIPE) return true;
  complain(suite, fmt::format("cannot print the result: {}", std::strerror(error)));
  return false;
}

bool prepare_files(detail::SuiteState& suite) {
  std::vector<std::string> paths = {suite.options.out,
                                    std::string(environment_variable("PROOFLINE_BENCH_OUT"))};
  if (paths[0] == paths[1]) paths.pop_back();
  for (const std::string& path : paths) {
    if (path.empty()) continue;
    auto file = WholeFile::prepare(path);
    if (!file) {
      end_with(suite, kStorage, file.error().message);
      return false;
    }
    suite.files.push_back(std::move(*file));
  }
  return true;
}

bool open_gpu(detail::SuiteState& suite) {
  try {
    suite.gpu = std::make_unique<Gpu>(suite.options.device);
    suite.meter = std::make_unique<Meter>(*suite.gpu, suite.options);
    if (suite.options.cache == CacheState::kCold) suite.gpu->overwrite_cache();
  } catch (const std::exception& error) {
    end_with(suite, kCudaFailed,
             fmt::format("GPU {} cannot be used: {}", suite.options.device, error.what()));
    return false;
  }
  return true;
}

bool start(detail::SuiteState& suite) {
  std::vector<const char*> argv;
  argv.reserve(suite.arguments.size());
  for (const std::string& argument : suite.arguments) argv.push_back(argument.c_str());
  auto parsed =
      parse_arguments(suite.name, suite.groups, static_cast<int>(argv.size()), argv.data());
  if (!parsed) {
    end_with(suite, kUsage, parsed.error().message);
    return false;
  }
  if (!parsed->help.empty()) {
    suite.exit_code = print(suite, parsed->help) ? kDone : kStorage;
    return false;
  }
  suite.options = std::move(parsed->options);
  suite.groups = std::move(parsed->groups);
  return prepare_files(suite) && open_gpu(suite);
}

// What a configuration throws, or that it measures nothing, is a measurement without a name.
void run_configuration(detail::ConfigurationState& state,
                       const std::function<void(Configuration&)>& benchmark) {
  detail::SuiteState& suite = state.suite;
  const std::size_t before = suite.benchmark.measurements.size();
  Configuration configuration(state);
  std::string failure;
  try {
    suite.gpu->begin_memory();
    benchmark(configuration);
  } catch (const detail::ContextBroken&) {
    return;
  } catch (const std::exception& error) {
    failure = error.what();
    suite.is_broken = !is_usable_after_error();
  }
  const bool is_silent =
      suite.benchmark.measurements.size() == before && !state.skip_reason.empty();
  if (failure.empty() && !is_silent) return;
  Measurement measurement = detail::describe(state, "");
  measurement.state = failure.empty() ? MeasurementState::kSkipped : MeasurementState::kFailed;
  measurement.reason = failure.empty() ? state.skip_reason : failure;
  suite.benchmark.measurements.push_back(std::move(measurement));
}

void describe_run(detail::SuiteState& suite) {
  Benchmark& benchmark = suite.benchmark;
  benchmark.format = "proofline-bench";
  benchmark.producer = fmt::format("proofline {}", kVersion);
  benchmark.command = redact_command(fmt::format("{}", fmt::join(suite.arguments, " ")));
  benchmark.machine = suite.gpu->machine();
  benchmark.notes = suite.gpu->notes();
  for (const std::string& note : suite.meter->notes()) {
    benchmark.notes.push_back({NoteKind::kInfo, "", note});
  }
}

bool write_files(detail::SuiteState& suite, const BenchmarkSeries& series) {
  std::string text;
  {
    Output output(text);
    JsonWriter json(output);
    write_record(series, json);
  }
  text += '\n';
  const WithoutSignals quiet;
  bool all_written = true;
  for (const WholeFile& file : suite.files) {
    if (const auto written = file.write(text); !written) {
      complain(suite, written.error().message);
      all_written = false;
    }
  }
  return all_written;
}

std::string table(const BenchmarkSeries& series) {
  const Presentation presentation{[&] { return compose_benchmark(series); },
                                  [&](JsonWriter& json) { write_record(series, json); }};
  std::string text;
  Output output(text);
  find_view("terminal")->render(presentation, {}, output);
  return text;
}

// The worst of what happened.
int exit_code_of(const std::vector<Measurement>& measurements) {
  const auto any = [&](MeasurementState state) {
    return std::any_of(measurements.begin(), measurements.end(),
                       [&](const Measurement& each) { return each.state == state; });
  };
  if (any(MeasurementState::kFailed)) return kCudaFailed;
  if (any(MeasurementState::kWrong)) return kWrongResult;
  return any(MeasurementState::kInvalid) ? kInvalid : kDone;
}

// Names that were asked for and that the program does not have.
std::vector<std::string> unknown_implementations(const detail::SuiteState& suite) {
  std::vector<std::string> unknown;
  for (const std::string& name : suite.options.implementations) {
    if (!suite.implementations.contains(name)) unknown.push_back(quote(name));
  }
  return unknown;
}

}  // namespace

Suite::Suite(const std::string& name, int argc, char** argv)
    : state_(std::make_unique<detail::SuiteState>()) {
  state_->name = name;
  state_->arguments.assign(argv, argv + argc);
}

Suite::~Suite() = default;

void Suite::axis(const std::string& name, const std::vector<AxisValue>& values) {
  AxisGroup group{name, {name}, {}};
  group.points.reserve(values.size());
  for (const AxisValue& value : values) group.points.push_back({value.text});
  state_->groups.push_back(std::move(group));
}

void Suite::tuple(const std::string& name, const std::vector<std::string>& axes,
                  const std::vector<std::vector<AxisValue>>& points) {
  AxisGroup group{name, axes, {}};
  group.points.reserve(points.size());
  for (const auto& point : points) {
    if (point.size() != axes.size()) {
      end_with(*state_, kUsage,
               fmt::format("the tuple {} has a point with {} values for {} axes", quote(name),
                           point.size(), axes.size()));
      return;
    }
    auto& values = group.points.emplace_back();
    for (const AxisValue& value : point) values.push_back(value.text);
  }
  state_->groups.push_back(std::move(group));
}

void Suite::run(const std::function<void(Configuration&)>& benchmark) {
  detail::SuiteState& suite = *state_;
  if (suite.exit_code || !start(suite)) return;
  const auto combinations = all_combinations(suite.groups);
  for (std::size_t i = 0; i < combinations.size() && !suite.is_broken; ++i) {
    detail::ConfigurationState state{suite, combinations[i]};
    run_configuration(state, benchmark);
    if (suite.is_broken) {
      complain(suite, fmt::format("CUDA does not work any more after this failure: the rest of the "
                                  "configuration and {} more configurations are left out",
                                  combinations.size() - i - 1));
    }
  }
}

int Suite::finish() {
  detail::SuiteState& suite = *state_;
  if (suite.exit_code) return *suite.exit_code;
  if (!suite.gpu) return end_with(suite, kUsage, "the benchmark never calls run()");
  if (const auto unknown = unknown_implementations(suite); !unknown.empty() && !suite.is_broken) {
    return end_with(suite, kUsage,
                    fmt::format("--implementation {}: there are only {}", fmt::join(unknown, ", "),
                                fmt::join(suite.implementations, ", ")));
  }
  describe_run(suite);
  BenchmarkSeries series;
  series.sides.push_back({"a", suite.benchmark});
  // The table comes last, since its reader may be gone.
  const bool all_written = write_files(suite, series);
  if (!print(suite, table(series)) || !all_written) return kStorage;
  return exit_code_of(suite.benchmark.measurements);
}

}  // namespace proofline::bench
