// SPDX-License-Identifier: Apache-2.0
//
// What is odd about the samples of a comparison. It changes no verdict: the interval already is as
// wide as the samples make it. But the user should know that the clock had two speeds.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace proofline {

// Of the logarithms of times in the order in which they were taken, a[i] next to b[i]: "drift",
// "two-modes", "outliers", "slow-start", "no-spread", in this order.
std::vector<std::string> sample_flags(std::span<const double> log_a, std::span<const double> log_b);

}  // namespace proofline
