// SPDX-License-Identifier: Apache-2.0
//
// A named baseline: a file of measurements that later ones are compared with, remembered in the
// journal under a name, with the medians that it held then.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/journal/journal.h"

namespace proofline {

struct BaselineMeasurement {
  std::string configuration;  // "transpose tiled n=8192", after the side's label
  std::string state;          // "measured", "wrong", ...
  std::optional<double> median_ns;
  std::optional<double> low_ns;  // of the median, with 95 % confidence
  std::optional<double> high_ns;
  std::uint64_t samples = 0;
  bool throttled_only = false;  // the GPU was held back during all of them
};

struct Baseline {
  std::string name;
  std::string path;    // absolute
  std::string side;    // the label of the side of it that is meant; "" it has only one
  std::string sha256;  // of the file when it was named; "" by a version that kept none
  std::string set;     // when; UTC
  std::string gpu;
  std::vector<BaselineMeasurement> measurements;
};

// What each name stands for now, by name: the entry written last.
std::vector<Baseline> baselines_of(const std::vector<JournalEntry>& entries);

}  // namespace proofline
