// SPDX-License-Identifier: Apache-2.0
//
// Merges the messages of a sanitizer while they are read: a kernel that writes past its end says so
// once for each thread. Memory is bounded by what differs, and by a limit on that.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/machine/sanitizer.h"

namespace proofline {

class SanitizerFindings {
 public:
  // Most bytes of text that are kept.
  static constexpr std::size_t kMostBytes = 64U << 20U;

  // One that came so often.
  void add(SanitizerFinding&& message, std::uint64_t times = 1);

  std::vector<SanitizerFinding>& list() { return findings_; }
  // Messages that were new when there was no room for more.
  std::uint64_t left_out() const { return left_out_; }

 private:
  std::vector<SanitizerFinding> findings_;
  std::unordered_map<std::string, std::size_t> positions_;
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace proofline
