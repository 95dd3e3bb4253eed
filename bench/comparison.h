// SPDX-License-Identifier: Apache-2.0
//
// Compares what a kernel left behind with what it should have, element by element.
#pragma once

#include <cstdint>
#include <string>

#include "model/measurement/benchmark.h"

namespace proofline::bench {

class Comparison {
 public:
  Comparison(double absolute, double relative, std::string reference);

  // The next element. The error is how far both are apart, which of large integers can be less than
  // doubles show. A NaN or an infinity is right only where it is expected.
  void add(double actual, double expected, double error);

  const Correctness& result() const { return result_; }
  // "3 of 1,048,576 elements are wrong, 2 of them NaN; element 17 is 1.5, expected 2"; "" all
  // right.
  std::string complaint() const;

 private:
  bool is_right(double actual, double expected, double error);

  Correctness result_;
  double absolute_;
  double relative_;
  std::uint64_t first_wrong_ = 0;
  double first_actual_ = 0;
  double first_expected_ = 0;
  double first_error_ = 0;
};

// Of several outputs as of one.
void merge(Correctness& all, const Correctness& more);

}  // namespace proofline::bench
