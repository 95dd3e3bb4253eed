// SPDX-License-Identifier: Apache-2.0
//
// What a workflow tells, kept for a test to look at.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "workflow/announcer.h"

namespace proofline {

class CollectingAnnouncer final : public Announcer {
 public:
  void say(std::string_view sentence) override {
    cleared_before_each = cleared_before_each && line.empty();
    sentences.emplace_back(sentence);
  }
  void progress(std::string_view what) override {
    line = what;
    ++shown;
  }
  void clear() override { line.clear(); }

  std::vector<std::string> sentences;
  std::string line;  // of progress, where one stands
  int shown = 0;     // lines of progress
  bool cleared_before_each = true;
};

}  // namespace proofline
