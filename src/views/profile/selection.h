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

// Of a launch those metrics that were asked for, in order of name. A launch takes as long as it has
// metrics or as were asked for, whichever is less: where each launch has other ones, the names of
// all are as many as the launches.
class ChosenMetrics {
 public:
  explicit ChosenMetrics(const Selection& selection);

  std::vector<const Metric*> of(const Launch& launch) const;

 private:
  const Selection& selection_;
  std::vector<std::size_t> places_;  // by id, from 1 on; 0: not asked for
};

}  // namespace proofline
