// SPDX-License-Identifier: Apache-2.0
//
// How much B differs from A, from pairs that were measured next to each other in time, so that
// what drifts (clocks, temperature, neighbours) is the same in both halves of a pair. The estimate
// is the median of the log ratios; the interval decides, never the estimate alone.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/statistics.h"

namespace proofline {

enum class ChangeKind {
  kFaster,   // all of the interval is faster by more than the threshold
  kSlower,   // slower
  kSame,     // the interval is within the threshold: too small to matter
  kUnclear,  // the interval holds more than one of these answers
};
std::string_view to_string(ChangeKind kind);

struct ChangeOptions {
  double confidence = 0.95;     // that none of all the comparisons is a false alarm
  std::size_t comparisons = 1;  // made together, so that the confidence is for all of them
  double threshold = 0.005;     // relative changes below this do not matter
  double power = 0.95;          // the chance to see a change that is there, for pairs_needed
  // By so much equal things may differ for reasons that pairs do not show.
  double margin = 0;
  // Pairs were added until the answer was clear, so the interval must hold at any number of them.
  bool until_clear = false;
};

struct PairedChange {
  double ratio = 1;         // B over A; below 1 = faster
  Interval interval{1, 1};  // of the ratio
  ChangeKind kind = ChangeKind::kUnclear;
  // B is at most slower by the threshold, which is less than to say which of the kinds it is.
  bool not_slower = false;
  std::size_t pairs = 0;
  double spread = 0;  // of the log ratios, robust
  // How many pairs would settle an unclear one; nothing where no number of them would.
  std::optional<std::size_t> pairs_needed;
  // What is odd about the samples, by name: "few-pairs", "drift", "two-modes", "outliers",
  // "slow-start", "no-spread".
  std::vector<std::string> flags;
};

// a[i] was measured next to b[i]; both positive and of one length. Needs three pairs for a ratio.
PairedChange paired_change(std::span<const double> a, std::span<const double> b,
                           const ChangeOptions& options);

// Pairs after which a relative change of `effect` is seen with options.power, where the log ratios
// spread like this.
std::size_t pairs_to_see(double effect, double spread, const ChangeOptions& options);
// The smallest relative change that so many pairs, a number chosen beforehand, see with
// options.power, where the log ratios are normal with this spread.
double smallest_change_seen(std::size_t pairs, double spread, const ChangeOptions& options);

}  // namespace proofline
