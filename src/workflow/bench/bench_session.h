// SPDX-License-Identifier: Apache-2.0
//
// One measurement of one or more sides, started in turn, in one run folder: what `bench` and
// `selftest` share.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "diagnosis/decision/decide.h"
#include "model/measurement/benchmark.h"
#include "tools/starts/interleaved_runs.h"
#include "workflow/announcer.h"
#include "workflow/bench/bench_cases.h"
#include "workflow/run_options.h"

namespace proofline {

struct BenchPlan {
  RunOptions run;  // the time limit is of one start
  std::string time_by = "auto";
  std::string kernel;
  std::size_t starts = 0;  // of each side; 0: until the answer is clear
  std::size_t max_starts = 60;
  std::size_t warm_up = 1;
  double effect = 0.03;                   // that the starts are to show or to rule out
  std::optional<std::size_t> order_seed;  // nothing: a random one
  DecideOptions decide;
  double max_time = 0;                     // seconds; 0: no limit
  std::vector<std::string> cases;          // NAME=ARGUMENTS
  std::vector<std::string> axes;           // NAME=VALUE,VALUE
  std::vector<BenchCase> made_cases = {};  // those of a playbook, instead of both
  bool keep_going = false;

  BenchPlan() { run.time_limit = 1800; }
  bool has_cases() const { return !cases.empty() || !axes.empty() || !made_cases.empty(); }
};

// At least one, that without a name where there are none. kUsage.
Result<std::vector<BenchCase>> cases_of(const BenchPlan& plan);

// The program and its arguments in one string (base/split_command.h), or as they are. kInput where
// there is no such program.
Result<RunSide> command_side(std::string_view label, std::string_view command);
Result<RunSide> command_side(std::string_view label, std::vector<std::string> argv);

struct BenchRun {
  BenchmarkSeries series;
  TimeBy time_by = TimeBy::kWall;
  std::size_t starts = 0;  // of each side
  std::string folder;      // with benchmark.json in it
};

// What was measured, and what follows from it: the first side against each other one.
struct BenchResult {
  const BenchRun* run;
  std::vector<Decision> decisions;
};
Record describe(const BenchResult*);

// Every case in its turn, all of them in one result; the folder has that.
// Tells how the programs are timed, and how often they are started and why. What a program that
// fails printed is kept; of what is interrupted nothing.
Result<BenchRun> measure_sides(const BenchPlan& plan, const std::vector<RunSide>& sides,
                               Announcer& announcer);

// What would be started, in its order, one command a line.
std::string describe_schedule(const BenchPlan& plan, const std::vector<RunSide>& sides);

// The sides are named by label and command.
Decision decide_sides(const BenchmarkSide& a, const BenchmarkSide& b, bool interleaved,
                      const DecideOptions& options, const DecideEvidence& evidence);

// The first side against each other one. The confidence asked for holds for all of them together.
std::vector<Decision> decide_against_first(const BenchmarkSeries& series, DecideOptions options);

}  // namespace proofline
