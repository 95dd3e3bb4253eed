// SPDX-License-Identifier: Apache-2.0
//
// For choosing a side of a benchmark file: what there is, and what belongs to any side of it.
#pragma once

#include <string>
#include <vector>

#include "model/measurement/benchmark.h"

namespace proofline {

// Names for a sentence, once each, in the order in which they come; not too many of them.
class NameList {
 public:
  void add(const std::string& name);
  std::string text() const;

 private:
  std::vector<std::string> names_;
  bool more_ = false;
};

std::string side_names(const BenchmarkSeries& series);

// What is to be known of a file as a whole is with its first side; `picked` is another one.
void add_file_notes(const BenchmarkSeries& series, Benchmark& picked);

}  // namespace proofline
