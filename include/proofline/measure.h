// SPDX-License-Identifier: Apache-2.0
//
// Which of two programs is faster? Starts them in turn, in blocks A B B A or B A A B by chance,
// until the answer is clear, and decides: what `proofline bench` does.
//
//   proofline::MeasureOptions options;
//   options.starts = 20;
//   const auto measured = proofline::measure({"./old", "--n=8"}, {"./new", "--n=8"}, options);
//   if (measured) std::cout << to_string(measured->decision.verdict) << '\n';
//
// A program's own result counts where it leaves one (proofline::bench, nvbench, Google Benchmark),
// else the GPU time of its kernels, else the wall clock. To measure a kernel within your own
// program, link proofline::bench instead (proofline/bench.h).
//
// No shell is started. Whatever a program leaves running is killed when it ends. Interrupts
// (SIGINT, SIGTERM) end the measurement with an error meanwhile.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

struct MeasureOptions {
  std::size_t starts = 0;                // of each program; 0: until the answer is clear
  std::size_t max_starts = 60;           // where `starts` is 0
  double effect = 0.03;                  // it ends where this is ruled out and no more can be seen
  double time_limit = 1800;              // seconds of one start
  std::string runs = ".proofline/runs";  // where a folder with the files of the run is made
  DecideOptions decide;
  // What is worth telling while it runs, a sentence at a time: "timed by the wall clock".
  std::function<void(std::string_view sentence)> say;
};

struct Measured {
  BenchmarkSeries series;  // A and B
  Decision decision;
  std::string folder;  // with benchmark.json in it
};

// Each is a program, found as a shell would, and its arguments.
Result<Measured> measure(const std::vector<std::string>& a, const std::vector<std::string>& b,
                         const MeasureOptions& options = {});

}  // namespace proofline
