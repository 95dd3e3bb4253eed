// SPDX-License-Identifier: Apache-2.0
//
// The least GPU work that a program can be judged by, and the longest span that a recording can
// have.
#pragma once

#include <cstdint>

namespace proofline {

inline constexpr std::uint64_t kLeastOps = 100;
inline constexpr std::int64_t kLeastSpanNs = 1'000'000;
inline constexpr std::int64_t kDayNs = 24LL * 3600 * 1'000'000'000;
// A span of more than a week means that a timestamp in the file is wrong, and so are the shares.
inline constexpr std::int64_t kMostSpanNs = 7 * kDayNs;

}  // namespace proofline
