// SPDX-License-Identifier: Apache-2.0
//
// The parts of which a decision's sentences are made. Names from files are escaped and shortened
// in them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/measurement/benchmark.h"
#include "model/measurement/decision.h"

namespace proofline {

// Says where in as few words as tell the configurations of two benchmarks apart: "at n=8192", "in
// transpose tiled n=8192", "" where there is only one.
class PlaceNames {
 public:
  PlaceNames(const Benchmark& a, const Benchmark& b);

  std::string operator()(const Measurement& measurement) const;
  std::string operator()(const DecidedConfiguration& configuration) const;

 private:
  std::string place(const std::string& benchmark, const std::string& implementation,
                    const std::vector<Axis>& axes) const;

  bool benchmarks_ = false;       // there are several
  bool implementations_ = false;  // of one benchmark on one side
};

// A stranger's words, for a sentence.
std::string inert(std::string_view text);
// "at n=1, at n=2 and 3 more"
std::string few_of(const std::vector<std::string>& places);

// "1.31x faster (1.29 to 1.33)", "1.08 times as long (1.05 to 1.11)"
std::string speed_text(const RatioEstimate& ratio);
// "from 2.1 % less to 1.3 % more time"
std::string range_text(const RatioEstimate& ratio);

}  // namespace proofline
