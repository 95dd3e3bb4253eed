// SPDX-License-Identifier: Apache-2.0
//
// The command line of a program that measures.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "axes.h"
#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "sampler.h"

namespace proofline::bench {

enum class TimerChoice { kAuto, kEvents, kGraph, kCupti };

// Which way of timing it is, where that is not chosen by hand: the same for long and short kernels,
// so that what is measured before and after a change compares.
TimedBy preferred_timer(TimerChoice choice, CacheState cache);
// "graph"
std::string_view to_string(TimerChoice choice);

struct Options {
  std::string out;                                          // a file; "" none
  std::vector<std::string> implementations;                 // empty: all
  std::vector<TimerChoice> time_by = {TimerChoice::kAuto};  // one after the other
  CacheState cache = CacheState::kHot;
  SamplingLimits limits;
  int device = 0;
  bool check_only = false;  // results are compared, nothing is timed
};

struct Arguments {
  Options options;
  std::vector<AxisGroup> groups;  // with the values to use
  std::string help;               // what was asked for instead of a run; "" nothing
};

// Each group has a flag of its own. kUsage where the line, or a group's name, cannot be used.
Result<Arguments> parse_arguments(const std::string& suite, std::vector<AxisGroup> groups, int argc,
                                  const char* const* argv);

}  // namespace proofline::bench
