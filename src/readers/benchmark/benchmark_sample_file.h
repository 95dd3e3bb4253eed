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

// nvbench's sample files, in folders next to the JSON. Their names come from the file, so only
// files below that folder are opened, and the total that is read is bounded.
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
