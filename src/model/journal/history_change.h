// SPDX-License-Identifier: Apache-2.0
//
// A configuration that became slower in the course of a journal, and where that came from. Plain
// data; `proofline journal regressions --format json` is a list of these.
#pragma once

#include <string>

namespace proofline {

struct HistoryChange {
  std::string configuration;
  double ratio = 1;  // of the time after it to the time before; above 1 = slower
  double low = 1;    // its interval, with what measurements at other times may differ by
  double high = 1;
  std::string since;  // when it was first measured, UTC
  // The attempt that made it; "" where it came between two attempts, after the first of which and
  // before the second.
  std::string attempt;
  std::string after;
  std::string before;
  std::string hypothesis;  // of the attempt, or of the one before it
  std::string commits;     // "1a2b3c4..5d6e7f8"; "" not known
};

}  // namespace proofline
