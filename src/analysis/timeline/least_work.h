// SPDX-License-Identifier: Apache-2.0
//
// How much work of a GPU a timeline has to hold before it says something of a program.
#pragma once

#include <cstdint>

namespace proofline {

inline constexpr std::uint64_t kLeastOps = 100;
inline constexpr std::int64_t kLeastSpanNs = 1'000'000;

}  // namespace proofline
