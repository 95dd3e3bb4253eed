// SPDX-License-Identifier: Apache-2.0
//
// Collectives take time in which no other kernel runs.
#include <fmt/format.h>

#include <string>

#include "analysis/timeline/timeline_facts.h"
#include "base/text.h"
#include "rules/rule.h"

namespace proofline {
namespace {

constexpr double kLeastCommunicationShare = 0.10;

// Most of a collective's time is waiting for the last rank to come.
std::string communication_remedy(const Trial& trial) {
  constexpr std::string_view kOverlap = "overlap collectives with kernels";
  if (const auto rank = trial.maybe(facts::kTimelineStraggler)) {
    return fmt::format(
        "find what rank {:.0f} does longer than the others, which wait for it; then {}", *rank,
        kOverlap);
  }
  if (trial.maybe(facts::kTimelineRanks).value_or(1) > 1) {
    return fmt::format("{}, or send less", kOverlap);
  }
  return fmt::format("look for a rank that comes late first (give all ranks' files); then {}",
                     kOverlap);
}

Outcome evaluate_communication_bound(Trial& trial) {
  if (!trial.at_least(facts::kTimelineCommExposedShare, kLeastCommunicationShare)) {
    return trial.clean();
  }
  const double exposed = *trial.maybe(facts::kTimelineCommExposedShare);
  trial.show(facts::kTimelineKernelsShare);
  trial.show(facts::kTimelineStraggler);
  return trial.found(
      fmt::format("collectives that no kernel hides take {} of the time", percent(exposed)),
      {0, exposed, GainKind::kCeiling}, communication_remedy(trial));
}

}  // namespace

Rule communication_bound() {
  return {
      .id = "communication-bound",
      .group = CauseGroup::kLatency,
      .bound = Bound::kSync,
      .at = "communication",
      .what = "Kernels of NCCL or RCCL that no other kernel hides take 10 % of the span or more.",
      .why =
          "A collective ends when the last rank has come and all data has gone over the links; "
          "meanwhile kernels that do not depend on it could run.",
      .fix =
          "Find the rank that comes last, then overlap collectives with kernels (buckets, a stream "
          "of their own), or send less.",
      .limits =
          "Waiting for a late rank and moving bytes look alike on one rank: give the files of all "
          "ranks.",
      .evaluate = evaluate_communication_bound,
  };
}

}  // namespace proofline
