// SPDX-License-Identifier: Apache-2.0
//
// What is not the same between two captures besides the code: GPU, clocks, shapes, tools. Some of
// it makes a comparison of durations meaningless; the rest is worth knowing.
#pragma once

#include <vector>

#include "model/diagnosis/comparison.h"

namespace proofline {

// Versions of the tools and how the profiler was told to run. None of these refuses.
std::vector<Difference> capture_differences(const Profile& a, const Profile& b);

// Of two launches of what should be the same kernel. GPU, compute capability, shape, and an SM
// clock that was not locked refuse.
std::vector<Difference> launch_differences(const Profile& profile_a, const KernelDiagnosis& a,
                                           const Profile& profile_b, const KernelDiagnosis& b);

}  // namespace proofline
