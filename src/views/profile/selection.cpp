// SPDX-License-Identifier: Apache-2.0
#include "views/profile/selection.h"

#include <algorithm>

namespace proofline {

ChosenMetrics::ChosenMetrics(const Selection& selection) : selection_(selection) {
  for (std::size_t i = 0; i < selection.metrics.size(); ++i) {
    const MetricId id = selection.metrics[i];
    if (id >= places_.size()) places_.resize(id + 1);
    places_[id] = i + 1;
  }
}

std::vector<const Metric*> ChosenMetrics::of(const Launch& launch) const {
  std::vector<const Metric*> chosen;
  if (selection_.metrics.size() <= launch.metrics.size()) {
    for (const MetricId id : selection_.metrics) {
      if (const Metric* metric = launch.find(id)) chosen.push_back(metric);
    }
    return chosen;
  }
  const auto place = [this](const Metric& metric) {
    return metric.id < places_.size() ? places_[metric.id] : 0;
  };
  for (const Metric& metric : launch.metrics) {
    if (place(metric) != 0) chosen.push_back(&metric);
  }
  std::sort(chosen.begin(), chosen.end(),
            [&](const Metric* a, const Metric* b) { return place(*a) < place(*b); });
  return chosen;
}

}  // namespace proofline
