// SPDX-License-Identifier: Apache-2.0
//
// Cases of one measurement: the same programs with other arguments, by name (--case small='--n 64')
// or by the values of axes (--axis n=64,128 fills {n} in the commands). All of them are in one
// result, where the case is an axis like any other.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"

namespace proofline {

struct BenchCase {
  std::string name;                // "n=64"; "" the only one
  std::vector<Axis> axes;          // what tells it from the others
  std::vector<std::string> words;  // after each command
};

// All combinations of cases and axes; one without a name where there are none. kUsage.
Result<std::vector<BenchCase>> read_bench_cases(const std::vector<std::string>& cases,
                                                const std::vector<std::string>& axes);

// The command in that case.
std::vector<std::string> command_in_case(std::vector<std::string> argv, const BenchCase& one);

// Adds what was measured in a case to the result of all.
void add_case(const BenchCase& one, BenchmarkSeries measured, BenchmarkSeries& all);

}  // namespace proofline
