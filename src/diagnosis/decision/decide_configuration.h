// SPDX-License-Identifier: Apache-2.0
//
// One configuration measured on both sides: which measurements are of it, their samples as pairs
// that can be compared, and what comparing them says. What is repeated is the start of a program,
// so the median of a run is one value; the samples of a file that tells of one start only, or of
// too few, are cut into stretches of time instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/measurement/paired_change.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

struct MeasurementPair {
  const Measurement* a = nullptr;
  const Measurement* b = nullptr;
};

struct MeasurementMatching {
  std::vector<MeasurementPair> pairs;  // in the order of A
  std::vector<const Measurement*> only_in_a;
  std::vector<const Measurement*> only_in_b;
};

// Which are of one configuration: by benchmark, axes in any order, and implementation; the latter
// may differ where each side has only one of a benchmark. What a file holds twice is paired in the
// order of both files. `force` also pairs what is alone on each side.
MeasurementMatching match_measurements(const Benchmark& a, const Benchmark& b, bool force);

// Why there is nothing to compare.
enum class Obstacle {
  kNone,
  kTooFew,        // a side has one or two samples
  kTooFewStarts,  // measured in turn, but started once or twice
};

// Equal programs, each measured in one start, may differ by so much: on an H200 transposes did by
// up to 7 %, by where their buffers lay (docs/on-the-gpu.md).
inline constexpr double kBetweenStarts = 0.10;
// So may those that were started many times, but not in turn: clocks, temperature and neighbours
// are others at another time.
inline constexpr double kBetweenMeasurements = 0.03;

// What speaks against a gain, or against no difference, that the medians show.
enum class Contradiction {
  kNone,
  kThrottling,  // one side was held back more often than the other, and cycles do not say the same
  kMean,        // B is slower on average
  kUpper,       // so are B's slow starts or samples
};

struct ComparedConfiguration {
  DecidedConfiguration shown;
  Obstacle obstacle = Obstacle::kNone;
  ChangeKind kind = ChangeKind::kUnclear;
  ChangeKind time_kind = ChangeKind::kUnclear;  // whatever speaks against it
  ChangeKind cycles_kind = ChangeKind::kUnclear;
  // One value for each pair; cycles are empty where a clock is not known.
  std::vector<double> a_ns;
  std::vector<double> b_ns;
  std::vector<double> a_cycles;
  std::vector<double> b_cycles;
  std::vector<double> a_means;  // of the samples of each pair's halves
  std::vector<double> b_means;
  std::vector<double> a_upper;  // what nine in ten of them stay below
  std::vector<double> b_upper;
  std::vector<std::uint32_t> runs;  // of A; or of stretches their places
  std::size_t starts = 0;           // of each side that are next to one of the other
  std::size_t a_samples = 0;
  std::size_t b_samples = 0;
  std::optional<double> a_mhz;  // median
  std::optional<double> b_mhz;
  bool by_run = false;         // a pair is two runs, not two stretches of one
  bool of_summaries = false;   // a side has no samples: one pair, of what the producer says
  bool clock_changed = false;  // and time and cycles disagree
  bool not_slower = false;     // B is at most slower by the threshold
  Contradiction contradiction = Contradiction::kNone;
};

// Pairs the samples. `interleaved`: run i of one side was measured next to run i of the other.
ComparedConfiguration pair_samples(const MeasurementPair& pair, bool interleaved);

// Compares them, where there is no obstacle.
void compare_samples(const ChangeOptions& options, ComparedConfiguration& configuration);

}  // namespace proofline
