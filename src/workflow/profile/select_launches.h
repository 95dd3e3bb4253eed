// SPDX-License-Identifier: Apache-2.0
//
// The launches that a command was asked for: --kernel REGEX|N and --launch N.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/profile/profile.h"

namespace proofline {

struct LaunchFilter {
  std::string kernel;                 // a regex, or the number of a launch; "" = any
  std::vector<std::size_t> launches;  // none = all

  bool is_set() const { return !kernel.empty() || !launches.empty(); }
};

// Positions of the launches in each profile. An error where one that was asked for is in none.
Result<std::vector<std::vector<std::size_t>>> select_launches(std::span<const Profile> profiles,
                                                              const LaunchFilter& filter);

}  // namespace proofline
