// SPDX-License-Identifier: Apache-2.0
//
// Ceilings as a document:
//
//   GPU       NVIDIA H200, cc 9.0, driver 580.95.05
//   measured  2026-01-02T03:04:05Z
//
//   Ceiling                       Rate           95 % interval  SM clock  Samples  Throttled
//   ----------  ----------------------  ----------------------  --------  -------  ---------
//   dram                   2000.0 GB/s   1980.0 to 2020.0 GB/s  1500 MHz      120          0
//   fp64                 10.00 TFLOP/s         too few samples         -      120          0
//   tensor-f16  at least 500.0 TFLOP/s  495.0 to 505.0 TFLOP/s  1500 MHz      120          7
//
// "at least": this GPU has a faster way, which was not measured. The rate is the median's, without
// the throttled samples; the SM clock is what it ran at.
#pragma once

#include "model/measurement/ceilings.h"
#include "views/document.h"

namespace proofline {

Document compose_ceilings(const Ceilings& ceilings);

// For programs: one row for each, in base units.
Document compose_ceilings_rows(const Ceilings& ceilings);

}  // namespace proofline
