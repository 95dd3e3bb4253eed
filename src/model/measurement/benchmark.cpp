// SPDX-License-Identifier: Apache-2.0
#include "model/measurement/benchmark.h"

namespace proofline {

std::string_view to_string(TimedBy timed_by) {
  switch (timed_by) {
    case TimedBy::kUnknown: return "unknown";
    case TimedBy::kCudaEvents: return "cuda-events";
    case TimedBy::kCudaGraph: return "cuda-graph";
    case TimedBy::kCupti: return "cupti";
    case TimedBy::kWallClock: return "wall-clock";
  }
  return "unknown";
}

std::string_view to_string(CacheState state) {
  switch (state) {
    case CacheState::kUnknown: return "unknown";
    case CacheState::kCold: return "cold";
    case CacheState::kHot: return "hot";
    case CacheState::kRotating: return "rotating";
  }
  return "unknown";
}

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::kUnknown: return "unknown";
    case StopReason::kTight: return "tight";
    case StopReason::kTimeLimit: return "time-limit";
    case StopReason::kSampleLimit: return "sample-limit";
  }
  return "unknown";
}

std::string_view to_string(MeasurementState state) {
  switch (state) {
    case MeasurementState::kMeasured: return "measured";
    case MeasurementState::kWrong: return "wrong";
    case MeasurementState::kInvalid: return "invalid";
    case MeasurementState::kSkipped: return "skipped";
    case MeasurementState::kFailed: return "failed";
  }
  return "failed";
}

std::string_view to_string(CheckState state) {
  switch (state) {
    case CheckState::kNotChecked: return "not-checked";
    case CheckState::kPassed: return "passed";
    case CheckState::kFailed: return "failed";
  }
  return "not-checked";
}

std::string configuration_name(const Measurement& measurement) {
  return configuration_name(measurement.benchmark, measurement.implementation, measurement.axes);
}

std::string configuration_name(std::string_view benchmark, std::string_view implementation,
                               const std::vector<Axis>& axes) {
  std::string name;
  const auto add = [&](std::string_view word) {
    if (word.empty()) return;
    if (!name.empty()) name += ' ';
    name += word;
  };
  add(benchmark);
  add(implementation);
  for (const Axis& axis : axes) {
    add(axis.name.empty() ? axis.value : axis.name + "=" + axis.value);
  }
  return name;
}

std::vector<Note> notes_of(const BenchmarkSeries& series) {
  std::vector<Note> notes;
  for (const BenchmarkSide& side : series.sides) {
    notes.insert(notes.end(), side.benchmark.notes.begin(), side.benchmark.notes.end());
  }
  return notes;
}

}  // namespace proofline
