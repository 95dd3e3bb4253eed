// SPDX-License-Identifier: Apache-2.0
//
// The result of `show` for a profile: its launches with their summaries and the metrics that were
// asked for.
#pragma once

#include <cstddef>
#include <vector>

#include "analysis/launch/launch_summary.h"
#include "model/profile/profile.h"
#include "views/profile/selection.h"

namespace proofline {

struct ShownLaunch {
  const Profile* profile = nullptr;
  const ChosenMetrics* metrics = nullptr;
  std::size_t position = 0;
  LaunchSummary summary;

  const Launch& launch() const { return profile->launches[position]; }
};

// The profile and the selection must outlive it.
struct ShowResult {
  ShowResult(const Profile& shown, const Selection& selection);
  ShowResult(const ShowResult&) = delete;  // launches point to the chosen metrics
  ShowResult& operator=(const ShowResult&) = delete;

  const Profile& profile;
  ChosenMetrics metrics;
  std::vector<ShownLaunch> launches;
};
Record describe(const ShowResult*);

}  // namespace proofline
