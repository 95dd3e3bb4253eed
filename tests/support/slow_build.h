// SPDX-License-Identifier: Apache-2.0
//
// Whether this build is so slow, under AddressSanitizer, that tests which do one thing a thousand
// times do it less often. The normal build does it in full.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PROOFLINE_SLOW_BUILD
#endif
#endif

namespace proofline {

#if defined(PROOFLINE_SLOW_BUILD) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSlowBuild = true;
#else
constexpr bool kSlowBuild = false;
#endif

}  // namespace proofline
