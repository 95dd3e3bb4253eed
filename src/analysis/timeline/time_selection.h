// SPDX-License-Identifier: Apache-2.0
//
// The part of a timeline that is looked at: a step, the ranges of a name, or all of it.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/timeline/intervals.h"

namespace proofline {

struct TimeSelection {
  std::optional<Stretches> windows;  // none: all

  bool has(std::int64_t time) const { return !windows || windows->contains(time); }
};

}  // namespace proofline
