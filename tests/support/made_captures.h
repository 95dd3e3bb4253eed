// SPDX-License-Identifier: Apache-2.0
//
// Profiles made of numbers, to be compared with each other.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "diagnosis/comparison/compare.h"
#include "diagnosis/diagnose.h"
#include "vocabulary/metric_unit.h"

namespace proofline {

using Metrics = std::map<std::string, double>;

// A profile with its diagnosis; the addresses that ComparedSide holds stay put.
struct Capture {
  std::vector<Profile> profiles = std::vector<Profile>(1);
  Diagnosis diagnosis;

  Profile& profile() { return profiles[0]; }

  Launch& add(const std::string& name, Dim3 grid, Dim3 block, const Metrics& metrics) {
    Launch& launch = profile().launches.emplace_back();
    launch.name = name;
    launch.function = name.substr(0, name.find_first_of("<("));
    launch.grid = grid;
    launch.block = block;
    launch.device = 0;
    launch.compute_capability = "9.0";
    for (const auto& [metric, value] : metrics) {
      launch.metrics.emplace_back().id = profile().metric_names.intern(metric, metric_unit(metric));
      launch.metrics.back().value = value;
    }
    std::sort(launch.metrics.begin(), launch.metrics.end(),
              [](const Metric& x, const Metric& y) { return x.id < y.id; });
    return launch;
  }

  void set_device(const std::string& name) {
    Process& process = profile().processes.emplace_back();
    Device& device = process.session.devices.emplace_back();
    device.name = name;
  }

  ComparedSide side() {
    diagnosis = diagnose(profiles);
    return side_of(profiles, diagnosis);
  }
};

inline constexpr Dim3 kGrid = {64, 1, 1};
inline constexpr Dim3 kBlock = {256, 1, 1};

inline Metrics time_of(double nanoseconds) { return {{"gpu__time_duration.sum", nanoseconds}}; }

inline ProfileComparison compare(Capture& a, Capture& b, const CompareOptions& options = {}) {
  return compare_profiles(a.side(), b.side(), options);
}

}  // namespace proofline
