// SPDX-License-Identifier: Apache-2.0
//
// Which device a launch ran on is in its metrics, the tool's version in the session, and
// reports from before 2020.2 count grids in threads.
#include "readers/ncu/ncu_rep_identity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proofline::ncu_file {
namespace {

std::optional<std::uint64_t> integer_metric(const Profile& profile, const Launch& launch,
                                            std::string_view name) {
  const auto id = profile.metric_names.find(name);
  const Metric* metric = id ? launch.find(*id) : nullptr;
  const auto number = metric != nullptr ? as_number(metric->value) : std::nullopt;
  // 2^53: beyond it a double is no longer a count.
  if (!number || *number < 0 || *number > 9007199254740992.0) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

std::uint64_t volume(const Dim3& dim) { return dim[0] * dim[1] * dim[2]; }

// True if the grid was in threads and now is in blocks.
bool grid_in_blocks(const Profile& profile, Launch& launch) {
  if (!launch.grid || !launch.block) return false;
  const auto blocks = integer_metric(profile, launch, "launch__grid_size");
  const std::uint64_t threads = volume(*launch.grid);
  const std::uint64_t block = volume(*launch.block);
  if (!blocks || block <= 1 || threads == *blocks || threads != *blocks * block) return false;
  for (std::size_t i = 0; i < 3; ++i)
    (*launch.grid)[i] /= std::max<std::uint64_t>((*launch.block)[i], 1);
  return true;
}

// Only kernel results store their shape themselves; for the others it is in metrics.
std::optional<Dim3> shape_metrics(const Profile& profile, const Launch& launch,
                                  const std::string& prefix) {
  const auto x = integer_metric(profile, launch, prefix + "_x");
  const auto y = integer_metric(profile, launch, prefix + "_y");
  const auto z = integer_metric(profile, launch, prefix + "_z");
  if (!x || !y || !z) return std::nullopt;
  return Dim3{*x, *y, *z};
}

void identify(const Profile& profile, Launch& launch) {
  if (launch.name.empty()) launch.name = launch.function.empty() ? launch.mangled : launch.function;
  if (launch.name.empty()) launch.name = to_string(launch.kind);
  // A range spans launches of any shape.
  if (launch.kind != LaunchKind::kRange) {
    if (!launch.grid) launch.grid = shape_metrics(profile, launch, "launch__grid_dim");
    if (!launch.block) launch.block = shape_metrics(profile, launch, "launch__block_dim");
  }
  if (const auto index = integer_metric(profile, launch, "device__attribute_device_index")) {
    launch.device = static_cast<std::uint32_t>(*index);
  }
  const auto major = integer_metric(profile, launch, "device__attribute_compute_capability_major");
  const auto minor = integer_metric(profile, launch, "device__attribute_compute_capability_minor");
  if (major && minor) launch.compute_capability = fmt::format("{}.{}", *major, *minor);
}

std::string producer_of(const Profile& profile) {
  constexpr std::string_view kTarget = "Nsight Compute Target";
  bool other_versions = false;
  for (const Process& process : profile.processes) {
    for (const auto& [provider, version] : process.session.versions) {
      if (provider == kTarget) return "Nsight Compute " + version;
      other_versions = true;
    }
  }
  // Old releases wrote CUDA's version and not their own; a report cut short may have none at all.
  return other_versions ? "Nsight Compute before 2020.2" : "";
}

}  // namespace

void identify_launches(Profile& profile) {
  profile.producer = producer_of(profile);
  // As ncu numbers them: process by process, the lowest pid first.
  std::stable_sort(profile.launches.begin(), profile.launches.end(),
                   [&](const Launch& a, const Launch& b) {
                     return profile.processes[a.process].pid < profile.processes[b.process].pid;
                   });
  std::uint64_t grids_in_threads = 0;
  for (Launch& launch : profile.launches) {
    identify(profile, launch);
    if (grid_in_blocks(profile, launch)) ++grids_in_threads;
  }
  if (grids_in_threads > 0) {
    profile.notes.push_back({NoteKind::kInfo, "",
                             "grids that this old report counts in threads are shown in blocks",
                             grids_in_threads});
  }
}

}  // namespace proofline::ncu_file
