// SPDX-License-Identifier: Apache-2.0
//
// The axes of a benchmark: what the program declares, what the command line replaces, and all
// combinations of both.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/measurement/benchmark.h"

namespace proofline::bench {

// One axis, or several that go together: each point has a value for each name.
struct AxisGroup {
  std::string flag;  // what the command line calls it
  std::vector<std::string> names;
  std::vector<std::vector<std::string>> points;
};

// The points that the command line gives for a group: "128,256" is two points of a plain axis, and
// one of a pair; an argument of several. kUsage where the number of values is wrong, or a word
// is given where all declared values are whole numbers.
Result<std::vector<std::vector<std::string>>> parse_points(
    const AxisGroup& group, const std::vector<std::string>& arguments);

bool is_whole_number(const std::string& text);

// Every combination of the groups' points; the last group changes fastest. One without axes where
// there are no groups.
std::vector<std::vector<Axis>> all_combinations(const std::vector<AxisGroup>& groups);

}  // namespace proofline::bench
