// SPDX-License-Identifier: Apache-2.0
//
// Facts of a change: what its benchmarks decide, and whether both sides were asked to do the same.
// They are facts of the side after it.
#pragma once

#include "model/measurement/decision.h"
#include "workflow/check/locked_side.h"
#include "workflow/check/side_reader.h"
#include "workflow/check/sides.h"

namespace proofline {

// change.verdict and change.gain: as `decide` has them, of wall times; ncu's own time is none.
void publish_decision(Sides<EvidenceOfSide>& sides, const DecideOptions& options);

// change.arguments: of the benchmarks' commands and of the programs in which the kernel ran.
void publish_arguments(Sides<LockedSide>& sides);

}  // namespace proofline
