// SPDX-License-Identifier: Apache-2.0
//
// Launches of one kernel with one shape on one device are one entry wherever we judge: the launch
// of median duration represents them, and the others say how far durations spread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/diagnosis/diagnosis.h"
#include "model/profile/profile.h"

namespace proofline {

struct LaunchGroup {
  std::vector<std::size_t> launches;  // positions in the profile, ascending
  std::size_t representative = 0;     // of median duration (the shorter of the middle two)
  LaunchSpread spread;                // over those that have a duration; count is all of them
};

// In order of first appearance; of the chosen launches, or of all where there is no choice.
std::vector<LaunchGroup> group_launches(const Profile& profile,
                                        const std::vector<std::size_t>* chosen = nullptr);

// The duration of each launch under the profiler's replay, in ns.
std::vector<std::optional<double>> launch_durations(const Profile& profile);

}  // namespace proofline
