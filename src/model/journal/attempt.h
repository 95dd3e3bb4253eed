// SPDX-License-Identifier: Apache-2.0
//
// An attempt is one try at making a kernel faster: what was expected, what was changed, what was
// measured, what became of it. It is told by the entries of the journal that belong to it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/journal/journal.h"

namespace proofline {

enum class AttemptState {
  kOpen,  // nothing is decided yet, or the program was ended in between
  kKept,
  kReverted,
  kInconclusive,
  kInvalid,
  kFailed,     // a gate before the measurement: wrong results, sanitizer errors, no build
  kAbandoned,  // closed by hand without a verdict
};
std::string_view to_string(AttemptState state);

// Shares of time saved: 0.10 to 0.20; negative is slower.
struct GainRange {
  double low = 0;
  double high = 0;
};

struct Attempt {
  std::string id;
  std::string opened;  // UTC
  std::string closed;  // "" still open
  std::string hypothesis;
  std::string kind;  // of change, for calibration: "synchronisation", "vector-loads"; "" none
  std::optional<GainRange> expected;
  std::string risk;
  std::string commit;     // of the work tree when it was opened; "" no repository
  std::string diff_stat;  // "3 files changed, 40 insertions(+), 12 deletions(-)"
  std::vector<std::string> commands;
  AttemptState state = AttemptState::kOpen;
  std::string reason;                   // of the state, in one line
  std::optional<GainRange> realised;    // interval of the gain that was measured
  std::optional<double> realised_gain;  // its estimate
  std::vector<std::string> explanation;
  std::vector<std::string> runs;      // folders with the artefacts
  std::vector<JournalEntry> entries;  // all of it, as written
};

// The attempts that these entries tell of, oldest first. Entries of kinds that this version does
// not know stay in `entries` and do no harm.
std::vector<Attempt> attempts_of(const std::vector<JournalEntry>& entries);

// How well expectations were met so far, for one kind of change or for all ("").
struct Calibration {
  std::string kind;
  std::size_t attempts = 0;  // with an expectation and a measured gain
  std::size_t within = 0;    // the measured gain lies in the expected range
  std::size_t below = 0;
  std::size_t above = 0;
  double expected_mean = 0;  // of the middles of the ranges
  double realised_mean = 0;
  std::size_t small_kinds = 0;  // of all: kinds that have no row of their own
};
// Fewer attempts say nothing of a kind: they count as "other".
inline constexpr std::size_t kFewestOfAKind = 3;
// All first, then by kind.
std::vector<Calibration> calibrations_of(const std::vector<Attempt>& attempts);

}  // namespace proofline
