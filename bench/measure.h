// SPDX-License-Identifier: Apache-2.0
//
// Measures one implementation in one configuration: is its result right, how long does it take, how
// much memory does it need, and can that be.
#pragma once

#include <proofline/bench.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "gpu.h"
#include "model/measurement/benchmark.h"
#include "options.h"
#include "overhead.h"

namespace proofline::bench {

struct MeasureTask {
  const std::vector<detail::CheckRequest>& checks;
  const std::vector<detail::Inspection>& inspections;
  std::size_t sets = 1;                    // of buffers, to be used in turn
  std::optional<double> flops_per_second;  // the roof
  TimerChoice time_by = TimerChoice::kAuto;
};

class Meter {
 public:
  Meter(Gpu& gpu, const Options& options) : gpu_(gpu), options_(options) {}

  // Fills in all but what the program declares. Throws where CUDA or the program fails.
  void measure(const std::function<void(Launch)>& function, const MeasureTask& task,
               Measurement& measurement);

  // What is to be known about all measurements so far.
  const std::set<std::string>& notes() const { return notes_; }

 private:
  struct Chosen {
    std::unique_ptr<Timer> timer;
    TimedBy timed_by = TimedBy::kUnknown;
  };
  bool is_right(Execution& execution, const MeasureTask& task, Measurement& measurement);
  double warm_up(Execution& execution);
  Chosen choose_timer(Execution& execution, TimerChoice choice, double expected_ns);
  std::unique_ptr<Timer> event_timer(Execution& execution);

  Gpu& gpu_;
  const Options& options_;
  std::optional<EventOverhead> overhead_;  // measured when it is needed first
  std::set<std::string> notes_;
};

}  // namespace proofline::bench
