// SPDX-License-Identifier: Apache-2.0
//
// Which measurement of one benchmark is the same configuration as which of another one.
#pragma once

#include <vector>

#include "model/measurement/benchmark.h"

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

// By benchmark, axes in any order, and implementation; the latter may differ where each side has
// only one of a benchmark. `force` also pairs what is alone on each side, whatever it is.
MeasurementMatching match_measurements(const Benchmark& a, const Benchmark& b, bool force);

}  // namespace proofline
