// SPDX-License-Identifier: Apache-2.0
//
// What a fuzz target relies on.
#pragma once

#include <cstdio>
#include <cstdlib>

// Ends the program, which libFuzzer takes for a crash.
inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "broken promise: %s\n", what);
  std::abort();
}
