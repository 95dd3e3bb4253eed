// SPDX-License-Identifier: Apache-2.0
//
// Committed captures, read as `diagnose` reads them, and a way to change what one says.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/diagnose.h"
#include "readers/read_profile.h"

namespace proofline {

inline Profile read_capture(const std::string& path_in_tree) {
  const auto path = std::filesystem::path(PROOFLINE_SOURCE_DIR) / path_in_tree;
  auto profile = read_profile(path.string(), diagnosis_read_options());
  if (!profile) {
    ADD_FAILURE() << path << ": " << profile.error().message;
    return {};
  }
  return std::move(*profile);
}

inline std::vector<Profile> read_captures(const std::string& folder_in_tree) {
  std::vector<std::string> paths;
  const auto root = std::filesystem::path(PROOFLINE_SOURCE_DIR);
  for (const auto& entry : std::filesystem::directory_iterator(root / folder_in_tree)) {
    if (entry.path().string().ends_with(".ncu-rep.gz")) {
      paths.push_back(std::filesystem::relative(entry.path(), root).string());
    }
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Profile> profiles;
  for (const std::string& path : paths) profiles.push_back(read_capture(path));
  return profiles;
}

inline void set_metric(Profile& profile, Launch& launch, std::string_view name, Value value) {
  const MetricId id = profile.metric_names.intern(name, "");
  const auto at =
      std::lower_bound(launch.metrics.begin(), launch.metrics.end(), id,
                       [](const Metric& metric, MetricId key) { return metric.id < key; });
  if (at != launch.metrics.end() && at->id == id) {
    at->value = std::move(value);
    return;
  }
  Metric metric;
  metric.id = id;
  metric.value = std::move(value);
  launch.metrics.insert(at, std::move(metric));
}

inline void drop_metrics(Profile& profile, Launch& launch, std::string_view prefix) {
  launch.metrics.erase(
      std::remove_if(launch.metrics.begin(), launch.metrics.end(),
                     [&](const Metric& metric) {
                       return profile.metric_names[metric.id].name.starts_with(prefix);
                     }),
      launch.metrics.end());
}

// The profile with only the launch of that function.
inline Profile only_kernel(Profile profile, std::string_view function) {
  std::vector<Launch> kept;
  for (Launch& launch : profile.launches) {
    if (launch.function == function) kept.push_back(std::move(launch));
  }
  profile.launches = std::move(kept);
  EXPECT_EQ(profile.launches.size(), 1U) << function;
  return profile;
}

inline KernelDiagnosis diagnose_one(const Profile& profile, const DiagnoseOptions& options = {}) {
  Diagnosis diagnosis = diagnose({&profile, 1}, options);
  EXPECT_EQ(diagnosis.kernels.size(), 1U);
  return std::move(diagnosis.kernels.front());
}

}  // namespace proofline
