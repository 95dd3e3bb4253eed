// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/input.h"
#include "readers/benchmark/benchmark_parts.h"

namespace proofline {

// nvbench's files of samples, which lie in folders beside the JSON. They are named by whoever wrote
// it, so none is opened but those below that folder, and no more is read than a bounded total.
class SampleFiles {
 public:
  SampleFiles(std::optional<std::string> folder, const InputLimits& limits, BenchmarkNotes& notes);

  // `count` values, or as many as there are; absent, with a note, where they cannot be had.
  std::optional<std::vector<double>> read(std::string_view name, std::optional<double> count);

 private:
  std::optional<std::string> folder_;
  std::uint64_t bytes_left_;
  BenchmarkNotes& notes_;
};

}  // namespace proofline
