// SPDX-License-Identifier: Apache-2.0
//
// How often a test does what it does many times over: in full for `./check --all`, a part of it in
// every other run, and least where a sanitizer makes it ten times slower.
#pragma once

#include <cstdlib>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PROOFLINE_SANITIZED
#endif
#endif

namespace proofline {

#if defined(PROOFLINE_SANITIZED) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif

inline bool is_thorough() { return std::getenv("PROOFLINE_THOROUGH") != nullptr; }

template <class T>
T effort(T thorough, T usual, T sanitized) {
  if (is_thorough()) return kSanitized ? usual : thorough;
  return kSanitized ? sanitized : usual;
}

}  // namespace proofline
