// SPDX-License-Identifier: Apache-2.0
//
// Looks at what both captures say; what only one of them says is no difference.
#include "diagnosis/comparison/capture_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "diagnosis/comparison/explain_duration.h"

namespace proofline {
namespace {

// Clocks that differ by more make durations and every rate differ by as much.
constexpr double kSameClock = 0.05;

struct ProfilerFlag {
  std::string_view what;
  std::string_view flag;
  std::string_view otherwise;  // what ncu does without the flag
};
constexpr std::array<ProfilerFlag, 3> kFlags = {{
    {"clock-control", "--clock-control", "base"},
    {"cache-control", "--cache-control", "all"},
    {"replay-mode", "--replay-mode", "kernel"},
}};

std::string_view next_word(std::string_view& text) {
  text = trim(text);
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(end);
  return word;
}

// Of "ncu --flag value ..." or "ncu --flag=value ...".
std::string flag_value(std::string_view command, const ProfilerFlag& flag) {
  while (!command.empty()) {
    std::string_view word = next_word(command);
    if (word == flag.flag) return std::string(next_word(command));
    if (word.starts_with(flag.flag) && word.substr(flag.flag.size()).starts_with('=')) {
      return std::string(word.substr(flag.flag.size() + 1));
    }
  }
  return std::string(flag.otherwise);
}

std::string_view profiler_command(const Profile& profile) {
  for (const Process& process : profile.processes) {
    if (!process.session.profiler_command.empty()) return process.session.profiler_command;
  }
  return {};
}

std::string find_version(const Profile& profile, std::string_view provider) {
  for (const Process& process : profile.processes) {
    for (const auto& [name, version] : process.session.versions) {
      if (name == provider) return version;
    }
  }
  return {};
}

void add_if_different(std::string_view what, std::string_view a, std::string_view b, bool refuses,
                      std::vector<Difference>& differences) {
  if (a.empty() || b.empty() || a == b) return;
  differences.push_back({std::string(what), std::string(a), std::string(b), refuses});
}

std::string dim_text(const std::optional<Dim3>& dim) {
  return dim ? fmt::format("{}x{}x{}", (*dim)[0], (*dim)[1], (*dim)[2]) : std::string();
}

std::string lock_text(const Launch& launch) {
  if (!launch.clocks) return "";
  return launch.clocks->locked ? "locked" : "not locked";
}

void add_clocks(const Launch& a, const Facts& facts_a, const Launch& b, const Facts& facts_b,
                std::vector<Difference>& differences) {
  const std::string lock_a = lock_text(a);
  const std::string lock_b = lock_text(b);
  const auto clock_a = sm_clock(facts_a);
  const auto clock_b = sm_clock(facts_b);
  // Without a measured clock the lock is all there is to judge by.
  add_if_different("clock-lock", lock_a, lock_b, !clock_a || !clock_b, differences);
  if (!clock_a || !clock_b) return;
  if (std::abs(*clock_b - *clock_a) <= kSameClock * std::max(*clock_a, *clock_b)) return;
  const bool held = lock_a == "locked" && lock_b == "locked";
  differences.push_back({"sm-clock", fmt::format("{:.3f} GHz", *clock_a / 1e9),
                         fmt::format("{:.3f} GHz", *clock_b / 1e9), !held});
}

}  // namespace

std::vector<Difference> capture_differences(const Profile& a, const Profile& b) {
  std::vector<Difference> differences;
  add_if_different("profiler", a.producer, b.producer, false, differences);
  std::vector<std::string_view> seen;
  for (const Process& process : a.processes) {
    for (const auto& [provider, version] : process.session.versions) {
      if (std::find(seen.begin(), seen.end(), provider) != seen.end()) continue;
      seen.push_back(provider);
      add_if_different(provider, version, find_version(b, provider), false, differences);
    }
  }
  const std::string_view command_a = profiler_command(a);
  const std::string_view command_b = profiler_command(b);
  if (command_a.empty() || command_b.empty()) return differences;
  for (const ProfilerFlag& flag : kFlags) {
    add_if_different(flag.what, flag_value(command_a, flag), flag_value(command_b, flag), false,
                     differences);
  }
  return differences;
}

std::vector<Difference> launch_differences(const Profile& profile_a, const KernelDiagnosis& a,
                                           const Profile& profile_b, const KernelDiagnosis& b) {
  std::vector<Difference> differences;
  add_if_different("gpu", a.device_name, b.device_name, true, differences);
  add_if_different("compute-capability", a.compute_capability, b.compute_capability, true,
                   differences);
  add_if_different("grid", dim_text(a.grid), dim_text(b.grid), true, differences);
  add_if_different("block", dim_text(a.block), dim_text(b.block), true, differences);
  add_clocks(profile_a.launches[a.launch], a.facts, profile_b.launches[b.launch], b.facts,
             differences);
  return differences;
}

}  // namespace proofline
