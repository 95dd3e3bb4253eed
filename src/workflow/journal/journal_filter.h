// SPDX-License-Identifier: Apache-2.0
//
// What of a journal is wanted: by state, kind, time and text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/journal/attempt.h"
#include "views/journal/journal_document.h"

namespace proofline {

// By its name. kUsage.
Result<AttemptState> parse_attempt_state(const std::string& name);

// As it was asked for; what is empty does not choose.
struct JournalChoice {
  std::vector<std::string> states;
  std::string kind;
  std::string since;      // 2026-11-01 or 2026-11-01T12:30, in UTC
  std::string grep;       // a text in what is said of an attempt
  std::size_t limit = 0;  // only the last so many; 0: all
};

class JournalFilter {
 public:
  static Result<JournalFilter> make(const JournalChoice& choice);

  // Leaves those that are wanted, oldest first, and the notes beside them where they can match.
  void apply(JournalReading& reading) const;

 private:
  bool wants(const Attempt& attempt) const;
  bool wants(const Remark& remark) const;

  std::vector<AttemptState> states_;
  std::string kind_;
  std::string since_;
  std::string text_;  // in lower case
  std::size_t limit_ = 0;
};

}  // namespace proofline
