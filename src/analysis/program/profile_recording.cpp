// SPDX-License-Identifier: Apache-2.0
//
// The launches of an ncu report as a recording: where our own recorder cannot be had, a light pass
// of ncu lists the kernels.
#include <algorithm>
#include <map>
#include <string>

#include "analysis/program/kernel_totals.h"

namespace proofline {
namespace {

std::uint64_t number(const Profile& profile, const Launch& launch, std::string_view metric) {
  const auto id = profile.metric_names.find(metric);
  const Metric* found = id ? launch.find(*id) : nullptr;
  return static_cast<std::uint64_t>(found != nullptr ? as_number(found->value).value_or(0) : 0);
}

}  // namespace

Recording recording_of(const Profile& profile) {
  Recording recording;
  recording.notes = profile.notes;
  recording.processes.resize(profile.processes.size());
  std::vector<std::map<std::string, std::uint32_t>> ids(profile.processes.size());
  std::vector<std::vector<std::uint32_t>> counts(profile.processes.size());  // by name
  std::vector<std::uint64_t> ends(profile.processes.size());
  for (std::size_t i = 0; i < profile.processes.size(); ++i) {
    recording.processes[i].pid = profile.processes[i].pid.value_or(0);
    recording.processes[i].executable = profile.processes[i].session.executable;
  }
  for (const Launch& launch : profile.launches) {
    RecordedProcess& process = recording.processes[launch.process];
    const auto [id, is_new] = ids[launch.process].try_emplace(launch.mangled, process.names.size());
    if (is_new) {
      process.names.push_back(launch.mangled);
      counts[launch.process].push_back(0);
    }
    RecordedLaunch recorded;
    recorded.name = id->second;
    recorded.invocation = ++counts[launch.process][id->second];
    recorded.device = launch.device.value_or(0);
    recorded.grid = launch.grid.value_or(Dim3{});
    recorded.block = launch.block.value_or(Dim3{});
    // ncu runs one kernel at a time, and says only how long each takes.
    recorded.start_ns = ends[launch.process];
    recorded.end_ns = recorded.start_ns + number(profile, launch, "gpu__time_duration.sum");
    ends[launch.process] = recorded.end_ns;
    process.launches.push_back(recorded);
  }
  return recording;
}

}  // namespace proofline
