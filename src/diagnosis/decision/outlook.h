// SPDX-License-Identifier: Apache-2.0
//
// What the starts so far say of the comparison that they are for: whether its answer is clear, and
// if not, how many it may take.
#pragma once

#include <cstddef>

#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

// Fewer starts tell too little of the noise to give up for it.
inline constexpr std::size_t kFewestToGiveUp = 20;

struct Outlook {
  bool clear = false;             // every configuration is; more starts would not change that
  bool effect_ruled_out = false;  // what is unclear is a change of less than the effect
  std::size_t starts = 0;         // an estimate of all that it takes; the largest number: no number

  // After so many starts: as many as there may be would not settle it, and it is no large change.
  bool is_hopeless(std::size_t done, std::size_t most) const {
    return effect_ruled_out && done >= kFewestToGiveUp && starts > most;
  }
};

// Of the first side against each other, at a confidence that holds at any number of starts.
Outlook outlook_on(const BenchmarkSeries& series, const DecideOptions& options, double effect);

}  // namespace proofline
