// SPDX-License-Identifier: Apache-2.0
//
// Why one launch takes another time than its earlier self: identities that hold exactly, so that
// their factors account for the whole difference.
//
//   duration = instructions x cycles per instruction x elapsed cycles per busy cycle / SM clock
//   duration = DRAM bytes / DRAM rate                         (where DRAM is near its peak)
#pragma once

#include "model/diagnosis/comparison.h"

namespace proofline {

// `comparison` has its kernels, ratio and spread.
Explanation explain_duration(const KernelComparison& comparison, const Facts& a, const Facts& b);

// The SM clock while the launch ran, in Hz.
std::optional<double> sm_clock(const Facts& facts);

}  // namespace proofline
