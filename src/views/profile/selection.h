// SPDX-License-Identifier: Apache-2.0
//
// The part of a profile that a command was asked to show: positions of launches and, for output
// that lists metrics, their ids in order of name.
#pragma once

#include <cstddef>
#include <vector>

#include "model/profile/profile.h"

namespace proofline {

struct Selection {
  std::vector<std::size_t> launches;
  std::vector<MetricId> metrics;  // sorted by name
};

}  // namespace proofline
