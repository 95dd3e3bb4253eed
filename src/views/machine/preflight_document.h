// SPDX-License-Identifier: Apache-2.0
//
// What `doctor` says, at one glance:
//
//   ready to profile on NVIDIA H200 (sm_90)
//
//   Status  What                Finding
//   ------  ------------------  ------------------------------------------
//   ok      GPU                 NVIDIA H200 (sm_90)
//   ok      driver              580.159.04, CUDA up to 13.0
//   note    clocks              345 MHz of 1980 while idle, not locked
//
//   What to do
//
//   1. clocks  345 MHz of 1980 while idle, not locked
//      next: profile --clock-control base locks them while ncu runs; ...
//
// The first line is the verdict. "missing" is in the way, a "note" is to be known; both are
// listed below with what helps, the worst first.
#pragma once

#include "model/machine/preflight.h"
#include "views/document.h"

namespace proofline {

Document compose_preflight(const Preflight& preflight);

// For programs that read tables: one row for each check.
Document compose_preflight_rows(const Preflight& preflight);

}  // namespace proofline
