// SPDX-License-Identifier: Apache-2.0
//
// Keeps or reverts a change by its measured duration: gates first, then each configuration's
// interval, corrected for how many there are, then one verdict over all of them.
#pragma once

#include <optional>
#include <string>

#include "model/diagnosis/comparison.h"
#include "model/machine/sanitizer.h"
#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

// What explains a difference, where it was captured; it never decides.
struct DecideEvidence {
  const ProfileComparison* profiles = nullptr;
  const SanitizerRun* sanitizer = nullptr;  // of B: a gate
  std::string sanitized = {};               // the program it ran in B's place; "": B itself
  const Gate* check = nullptr;              // of B's results by a program: a gate
};

// `interleaved`: run i of one side was measured next to run i of the other.
Decision decide(const Benchmark& a, const Benchmark& b, bool interleaved,
                const DecideOptions& options, const DecideEvidence& evidence);

}  // namespace proofline
