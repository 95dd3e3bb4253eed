// SPDX-License-Identifier: Apache-2.0
//
// Timelines from files and folders: one, or the ranks of one job.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/input.h"
#include "base/result.h"
#include "diagnosis/timeline/diagnose_timeline.h"

namespace proofline {

struct TimelinePlan {
  std::vector<std::string> paths;  // a folder means the timelines in it
  std::optional<std::uint64_t> rank;
  TimelineFilter filter;
  bool with_program = false;  // TimelineDiagnosis::program too
  InputLimits limits;
};

// Whether this can be read as a timeline: a file, what `trace` left, a folder of ranks, a report of
// nsys. Never standard input, which can be read only once.
bool is_timeline(const std::string& path, const InputLimits& limits);

// Of several files, one is judged: the rank that was asked for, or else the one that the others
// wait for; all of them are compared.
Result<TimelineDiagnosis> read_timeline_files(const TimelinePlan& plan);

}  // namespace proofline
