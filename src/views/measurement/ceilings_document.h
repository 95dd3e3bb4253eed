// SPDX-License-Identifier: Apache-2.0
//
// Ceilings as a document:
//
//   GPU       NVIDIA H200, cc 9.0, driver 580.95.05
//   measured  2026-11-15T20:04:00Z
//
//   Ceiling                       Rate           95 % interval  SM clock  Samples  Throttled  How
//   dram                   1234.5 GB/s   1233.9 to 1235.2 GB/s  1500 MHz      100          0  ...
//   tensor-f16  at least 123.4 TFLOP/s  123.3 to 123.5 TFLOP/s  1500 MHz      100          0  ...
#pragma once

#include "model/measurement/ceilings.h"
#include "views/document.h"

namespace proofline {

Document compose_ceilings(const Ceilings& ceilings);

// For programs: one row for each, in base units.
Document compose_ceilings_rows(const Ceilings& ceilings);

}  // namespace proofline
