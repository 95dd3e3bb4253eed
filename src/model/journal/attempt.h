// SPDX-License-Identifier: Apache-2.0
//
// An attempt is one try at making a kernel faster: what was expected, what was changed, what was
// measured, what became of it. It is told by the entries of the journal that belong to it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "model/journal/entries.h"

namespace proofline {

struct Attempt : Intent {
  std::string id;
  std::string opened;  // UTC
  std::string closed;  // "" still open
  AttemptState state = AttemptState::kOpen;
  std::string reason;                   // of the state, in one line
  std::optional<GainRange> realised;    // interval of the gain that was measured
  std::optional<double> realised_gain;  // its estimate
  std::vector<std::string> explanation;
  std::vector<std::string> runs;      // folders with the artefacts
  std::vector<JournalEntry> entries;  // all of it, as written
};

// How well expectations were met so far, for one kind of change or for all ("").
struct Calibration {
  std::string kind;
  std::size_t attempts = 0;  // with an expectation and a measured gain
  std::size_t within = 0;    // the measured gain is in the expected range
  std::size_t below = 0;
  std::size_t above = 0;
  double expected_mean = 0;  // of the middles of the ranges
  double realised_mean = 0;
  std::size_t small_kinds = 0;  // of all: kinds that have no row of their own
};
// Fewer attempts say nothing of a kind: they count as "other".
inline constexpr std::size_t kFewestOfAKind = 3;

}  // namespace proofline
