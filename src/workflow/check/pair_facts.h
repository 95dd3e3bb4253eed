// SPDX-License-Identifier: Apache-2.0
//
// Facts of a change: what its benchmarks decide, and whether both sides were asked to do the same.
#pragma once

#include "model/diagnosis/facts.h"
#include "model/measurement/decision.h"
#include "workflow/check/locked_evidence.h"
#include "workflow/check/side_reader.h"

namespace proofline {

// change.verdict and change.gain: as `decide` has them, of wall times; ncu's own time is none.
void publish_decision(const EvidenceOfSide& before, const EvidenceOfSide& after,
                      const DecideOptions& options, Facts& facts);

// change.arguments: of the benchmarks' commands and of the programs in which the kernel ran.
void publish_arguments(const EvidenceOfSide& before, const LockedSide& locked_before,
                       const EvidenceOfSide& after, const LockedSide& locked_after, Facts& facts);

}  // namespace proofline
