// SPDX-License-Identifier: Apache-2.0
//
// How much work of a GPU a timeline has to hold before it says something of a program, and how long
// it can be.
#pragma once

#include <cstdint>

namespace proofline {

inline constexpr std::uint64_t kLeastOps = 100;
inline constexpr std::int64_t kLeastSpanNs = 1'000'000;
inline constexpr std::int64_t kDayNs = 24LL * 3600 * 1'000'000'000;
// Nobody records for a week: a time in such a file is wrong, and so are the shares.
inline constexpr std::int64_t kMostSpanNs = 7 * kDayNs;

}  // namespace proofline
