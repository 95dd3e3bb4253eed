// SPDX-License-Identifier: Apache-2.0
//
// Two timelines of one program: what got slower and what got faster, by kernel, idle class, copy,
// operator and step. Where both have steps, but not equally many, the mean step is compared.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagnosis/timeline/diagnose_timeline.h"
#include "model/note.h"

namespace proofline {

// Something that both or one of them spent time on.
struct TimelineChange {
  std::string name;
  double a_ns = 0;  // 0: not there
  double b_ns = 0;
  double a_count = 0;
  double b_count = 0;

  double change_ns() const { return b_ns - a_ns; }
};

struct TimelineSide {
  std::string path;
  std::string format;
  std::string producer;
  std::string headline;  // its verdict
  std::string gpu;       // of the device that is looked at
  std::size_t steps = 0;
  std::int64_t wall_ns = 0;
  double span_ns = 0;  // of that device, as compared
  std::string doubt;   // why that is no measure of the program; "" it is one
};

struct TimelineComparison {
  TimelineSide a;
  TimelineSide b;
  bool by_step = false;  // all times and counts are those of a mean step
  // Where the GPU's time goes; they add up to its span on both sides.
  std::vector<TimelineChange> parts;
  // Each by how much it changed, the most first; sums, which may overlap in time.
  std::vector<TimelineChange> kernels;
  std::vector<TimelineChange> copies;
  std::vector<TimelineChange> calls;
  std::vector<TimelineChange> operators;
  std::vector<TimelineChange> steps;  // by name
  std::vector<Note> notes;            // of both sides
};

Record describe(const TimelineComparison*);

TimelineComparison compare_timelines(const TimelineDiagnosis& a, const TimelineDiagnosis& b);

}  // namespace proofline
