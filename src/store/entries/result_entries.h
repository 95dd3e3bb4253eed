// SPDX-License-Identifier: Apache-2.0
//
// What the journal keeps of a result: medians and intervals, not samples; sentences, not tables.
// The rest is in the run's folder.
#pragma once

#include <string>
#include <vector>

#include "model/journal/entries.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

std::vector<RecordedSide> recorded_sides(const BenchmarkSeries& series);
BenchmarkEntry benchmark_entry(const BenchmarkSeries& series, std::string run);
DecisionEntry decision_entry(const Decision& decision, std::string run);

}  // namespace proofline
