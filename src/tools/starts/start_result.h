// SPDX-License-Identifier: Apache-2.0
//
// What one start of a program gave to measure by, and what many starts of one side amount to.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "base/result.h"
#include "model/measurement/benchmark.h"
#include "model/profile/profile.h"
#include "model/profile/recording.h"

namespace proofline {

// Whether the program left a result of its own: in the file that it was told to write, or printed.
bool has_program_result(const std::string& written, const std::string& printed);
// kInput where there is none, and where it cannot be read.
Result<Benchmark> program_result(const std::string& written, const std::string& printed);

// Whether a kernel is to be measured.
using KernelFilter = std::function<bool(const Launch&)>;

// Each kernel in each shape is a measurement, each of its launches a sample; and kAllKernels their
// time together, one sample. kInput where none ran that the filter takes.
Result<Benchmark> recorded_result(const Recording& recording, const KernelFilter& filter);

// The whole process is the only measurement.
Benchmark wall_result(std::chrono::nanoseconds duration);

// The starts of one side, put together configuration by configuration.
class SideResult {
 public:
  // `run`: which start it is; the first is 0. kInput where it ran on another GPU than the first.
  Result<void> add(Benchmark start, std::uint32_t run);
  void add_failure(std::string why);

  const Benchmark& benchmark() const { return benchmark_; }

 private:
  void add(Measurement&& measurement, std::uint32_t run);
  void add(const Note& note);

  Benchmark benchmark_;
  std::map<std::string, std::size_t> positions_;  // of measurements, by configuration
  bool first_ = true;
};

}  // namespace proofline
