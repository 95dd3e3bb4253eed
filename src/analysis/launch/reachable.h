// SPDX-License-Identifier: Apache-2.0
//
// How much of a peak is reachable in practice.
#pragma once

namespace proofline {

// The most of a peak that well-made kernels reach: copies reach 0.90 to 0.93 of DRAM's peak,
// chains of one instruction at 0.97 of a pipe's.
inline constexpr double kReachable = 0.93;

}  // namespace proofline
