// SPDX-License-Identifier: Apache-2.0
//
// Starts the programs of several sides in turn, so that what drifts (clocks, temperature,
// neighbours) meets all of them alike: A B B A or B A A B, by chance, so that no disturbance with a
// period of its own meets one side only. Each start is a step of the run's folder; what it measured
// goes into its side's result under the number of the start.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "tools/process/run_folder.h"
#include "tools/recorder/recorder.h"
#include "tools/starts/gpu_watch.h"
#include "tools/starts/start_result.h"

namespace proofline {

// How a start is timed.
enum class TimeBy {
  kProgram,  // by itself: its own result is read
  kCupti,    // its kernels, by our recorder
  kWall,     // the whole process
};
std::string_view to_string(TimeBy time_by);

struct TimingChoice {
  TimeBy time_by = TimeBy::kWall;
  std::string why;  // "" it was asked for
};

// Where the program is to write its result.
inline constexpr const char* kBenchOutVariable = "PROOFLINE_BENCH_OUT";
// By which programs with our measurement library compare their results and time nothing.
inline constexpr const char* kBenchCheckOnlyVariable = "PROOFLINE_BENCH_CHECK_ONLY";

struct RunSide {
  std::string label;              // also names its files
  std::vector<std::string> argv;  // the first as an absolute path
  std::string folder = {};        // where it runs; "" here
};

// The sides in the order in which this round starts them; the first round is 0. Two rounds are a
// block: its first has a random order, its second goes backwards. A seed gives the same order
// everywhere.
std::vector<std::size_t> round_order(std::size_t sides, std::size_t round, std::uint32_t seed);

struct InterleavedOptions {
  std::optional<TimeBy> time_by;           // nothing: found out by choose_time_by()
  KernelFilter kernel;                     // of kCupti; empty: all
  std::chrono::milliseconds time_limit{};  // of one start; 0: none
  bool keep_going = false;                 // a start that fails is a note
  bool show_output = false;
  std::uint32_t order_seed = 0;  // see round_order()
  // Called several times a second with the current step ("a, start 3"); may be empty.
  std::function<void(const std::string& what)> on_progress;
};

// Errors of all that starts something: kTool where a program fails, kTimeLimit, kInterrupted, and
// kInput where a start leaves nothing to measure by.
class InterleavedRuns {
 public:
  InterleavedRuns(std::vector<RunSide> sides, InterleavedOptions options, RunFolder& folder);

  // By a start or two of the first side, which are not counted, where the options leave it open.
  Result<TimingChoice> choose_time_by();
  // Each side once, not counted.
  Result<void> warm_up();
  // Each side once.
  Result<void> run_round();

  // What has been measured; a start that failed is missing.
  BenchmarkSeries series() const;

 private:
  Result<TimingChoice> try_timings();
  Result<StepEnd> start(std::size_t side, const std::string& label, TimeBy time_by);
  Result<Benchmark> read(const StepEnd& end, const std::string& label, TimeBy time_by) const;
  Result<void> take_part(std::size_t side, const std::string& label,
                         std::optional<std::uint32_t> run);

  std::vector<RunSide> sides_;
  InterleavedOptions options_;
  RunFolder& folder_;
  std::optional<Recorder> recorder_;
  std::vector<SideResult> results_;
  GpuWatch gpu_;
  std::uint32_t rounds_ = 0;
  std::uint32_t warm_ups_ = 0;
};

}  // namespace proofline
